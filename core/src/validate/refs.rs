//! Finds what references point to, inside the schema and nowhere else.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    compile::{Dialect, Place, Words},
    schema::Id,
    uri,
};
use crate::{
    json::{Item, Kind, Tape},
    map::BTreeMap,
};

/// The longest address of a part, in bytes: every part holds its own.
const MAX_URI: usize = 2_048;

/// A reference that is resolved when the whole schema was read.
pub(super) struct Pending {
    /// The schema and the rule that the reference fills.
    pub(super) id: Id,
    pub(super) rule: usize,
    pub(super) at: u32,
    pub(super) resource: u32,
    pub(super) keyword: &'static str,
    pub(super) target: String,
}

/// The parts of a schema that have an `$id` of their own, and the anchors in them.
pub(super) struct Resources<'t> {
    /// Place and address of each.
    list: Vec<(u32, String)>,
    by_uri: BTreeMap<String, u32>,
    by_place: BTreeMap<u32, u32>,
    anchors: BTreeMap<(u32, String), u32>,
    /// How often each name is a dynamic anchor.
    dynamic: BTreeMap<String, usize>,
    has_recursive: bool,
    /// Children of containers that a pointer passed.
    children: BTreeMap<u32, BTreeMap<Cow<'t, str>, u32>>,
}

impl<'t> Resources<'t> {
    /// The resource of the whole schema.
    pub(super) const ROOT: u32 = 0;

    pub(super) fn new(root: u32) -> Self {
        Self {
            list: [(root, String::new())].into(),
            by_uri: BTreeMap::new(),
            by_place: BTreeMap::new(),
            anchors: BTreeMap::new(),
            dynamic: BTreeMap::new(),
            has_recursive: false,
            children: BTreeMap::new(),
        }
    }

    /// Notes the address and the anchors of a schema, and which resource it belongs to.
    pub(super) fn enter(&mut self, place: &mut Place<'t>, words: &Words<'t>, dialect: Dialect) {
        let id =
            words.text("$id").or_else(|| if dialect == Dialect::Draft7 { words.text("id") } else { None });
        if let Some(id) = id {
            match id.strip_prefix('#') {
                Some("") => {}
                Some(anchor) => {
                    self.anchors.insert((place.resource, anchor.into()), place.item.index());
                }
                None => self.open(place, &id),
            }
        }
        if dialect == Dialect::Draft7 {
            return;
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = words.text(keyword) {
                if keyword == "$dynamicAnchor" {
                    *self.dynamic.entry(anchor.to_string()).or_default() += 1;
                }
                self.anchors.insert((place.resource, anchor.into_owned()), place.item.index());
            }
        }
        self.has_recursive |= words.get("$recursiveAnchor").is_some_and(|flag| flag.as_str() == "true");
    }

    fn open(&mut self, place: &mut Place<'t>, id: &str) {
        let base = self.list.get(place.resource as usize).map_or("", |(_, uri)| uri.as_str());
        let is_short = base.len() + id.len() <= MAX_URI;
        let uri = if is_short { uri::join(base, id.trim_end_matches('#')) } else { String::new() };
        let at = place.item.index();
        if at == self.list.first().map_or(0, |(root, _)| *root) {
            place.resource = Self::ROOT;
            if let Some(root) = self.list.first_mut() {
                root.1.clone_from(&uri);
            }
        } else {
            place.resource = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
            self.list.push((at, uri.clone()));
        }
        if is_short {
            self.by_uri.entry(uri).or_insert(place.resource);
        }
        self.by_place.insert(at, place.resource);
    }

    pub(super) fn resolve(
        &mut self,
        tape: &'t Tape<'t>,
        pending: &Pending,
    ) -> Result<(Item<'t>, u32), &'static str> {
        let (address, fragment) = pending.target.split_once('#').unwrap_or((&pending.target, ""));
        let mut resource = pending.resource;
        if !address.is_empty() {
            let base = self.list.get(resource as usize).map_or("", |(_, uri)| uri.as_str());
            let uri = uri::join(base, address);
            resource = *self.by_uri.get(&uri).ok_or("the reference leads out of the schema")?;
        }
        let fragment = uri::decode(fragment).ok_or("the reference is not valid")?;
        self.check_dynamic(pending.keyword, &fragment)?;
        let root = self.list.get(resource as usize).map_or(0, |(at, _)| *at);
        if fragment.is_empty() {
            return Ok((tape.item(root), resource));
        }
        if let Some(steps) = fragment.strip_prefix('/') {
            return self.walk(tape, root, resource, steps);
        }
        let at = self.anchors.get(&(resource, fragment)).ok_or("the reference leads nowhere")?;
        Ok((tape.item(*at), resource))
    }

    /// A dynamic reference is a plain one where only one schema could be meant.
    fn check_dynamic(&self, keyword: &str, fragment: &str) -> Result<(), &'static str> {
        let is_open = match keyword {
            "$dynamicRef" => self.dynamic.get(fragment).is_some_and(|count| *count > 1),
            "$recursiveRef" => self.has_recursive && self.list.len() > 1,
            _ => false,
        };
        if is_open { Err("the reference depends on how it is reached") } else { Ok(()) }
    }

    fn walk(
        &mut self,
        tape: &'t Tape<'t>,
        root: u32,
        resource: u32,
        steps: &str,
    ) -> Result<(Item<'t>, u32), &'static str> {
        let (mut item, mut resource) = (tape.item(root), resource);
        for step in steps.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            let children = self.children.entry(item.index()).or_insert_with(|| children_of(item));
            item =
                children.get(step.as_str()).map(|at| tape.item(*at)).ok_or("the reference leads nowhere")?;
            if let Some(inner) = self.by_place.get(&item.index()) {
                resource = *inner;
            }
        }
        Ok((item, resource))
    }
}

fn children_of(item: Item<'_>) -> BTreeMap<Cow<'_, str>, u32> {
    let mut children = BTreeMap::new();
    if item.kind() == Kind::Array {
        for (index, element) in item.elements().enumerate() {
            children.insert(Cow::Owned(format!("{index}")), element.index());
        }
    }
    for (name, value) in item.members() {
        children.entry(name.to_str()).or_insert(value.index());
    }
    children
}
