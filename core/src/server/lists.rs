//! What a server offers, page by page, each entry as the client's revision knows it.

use alloc::{format, string::String, vec::Vec};
use core::ops::Range;

use sha2::{Digest as _, Sha256};

use super::{Hub, dispatch::Params, hub::Source, shape};
use crate::{
    Misuse, Tick,
    json::{RawJson, View, push_compact, push_string},
    jsonrpc::{Id, RpcError, code},
    map::BTreeMap,
    protocol::{Era, ListKind, Revision},
    validate::Validator,
};

/// One list of entries.
#[derive(Debug)]
pub(super) struct Catalogue {
    kind: ListKind,
    entries: Vec<Entry>,
    by_key: BTreeMap<String, usize>,
    /// Differs whenever the entries do; cursors carry it.
    digest: u32,
}

/// One entry of a list.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) raw: RawJson,
    /// Made when a call first needs it.
    validator: Option<Validator>,
}

impl Entry {
    /// Returns what checks the arguments of this tool.
    pub(super) fn validator(&mut self) -> &Validator {
        let raw = &self.raw;
        self.validator.get_or_insert_with(|| {
            Validator::new(raw.view().get("inputSchema").unwrap_or(View::trusted("{}")))
        })
    }

    /// Returns whether the tool says that what it does cannot be undone.
    pub(super) fn is_destructive(&self) -> bool {
        let hints = self.raw.view().get("annotations");
        let is = |name| hints.and_then(|hints| hints.get(name)).and_then(View::as_bool) == Some(true);
        is("destructiveHint") && !is("readOnlyHint")
    }
}

impl Catalogue {
    /// Takes entries; one without a key, or with one that stands there already, is left out.
    pub(super) fn new(kind: ListKind, list: Vec<RawJson>) -> Self {
        let mut own =
            Self { kind, entries: Vec::with_capacity(list.len()), by_key: BTreeMap::new(), digest: 0 };
        let mut hasher = Sha256::new();
        for raw in list {
            let Some(key) = raw.view().get(kind.key()).and_then(View::to_text) else { continue };
            if own.by_key.contains_key(&key) {
                continue;
            }
            hasher.update(raw.as_str());
            hasher.update([0]);
            own.by_key.insert(key, own.entries.len());
            own.entries.push(Entry { raw, validator: None });
        }
        let [a, b, c, d, ..]: [u8; 32] = hasher.finalize().into();
        own.digest = u32::from_be_bytes([a, b, c, d]);
        own
    }

    /// Takes the application's entries: they must all be usable.
    fn check(kind: ListKind, list: Vec<RawJson>) -> Result<Self, Misuse> {
        let entries = list.len();
        let own = Self::new(kind, list);
        if own.entries.len() < entries {
            return Err(Misuse::UnusableEntry { list: kind.member(), key: kind.key() });
        }
        Ok(own)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(*self.by_key.get(key)?)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.get_mut(*self.by_key.get(key)?)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// Returns which entries stand on the page that a cursor names.
    fn page(&self, cursor: Option<View<'_>>, most: usize) -> Result<Range<usize>, RpcError> {
        let start = match cursor.filter(|cursor| !cursor.is_null()) {
            None => 0,
            Some(cursor) => self.start(cursor)?,
        };
        Ok(start..start.saturating_add(most.max(1)).min(self.entries.len()))
    }

    /// Appends a page: the members of its result.
    fn push_page(&self, out: &mut String, page: Range<usize>, revision: Revision) {
        let end = page.end;
        let page = self.entries.get(page).unwrap_or_default();
        out.reserve(page.iter().map(|entry| entry.raw.as_str().len() + 1).sum::<usize>() + 64);
        push_string(out, self.kind.member());
        out.push_str(":[");
        for (at, entry) in page.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            match self.kind {
                ListKind::Tools => shape::push_tool(out, entry.raw.view(), revision),
                _ => push_compact(out, entry.raw.as_str()),
            }
        }
        out.push(']');
        if end < self.entries.len() {
            out.push_str(",\"nextCursor\":");
            push_string(out, &format!("{:08x}-{end}", self.digest));
        }
    }

    /// Reads a cursor of ours: where the page starts.
    fn start(&self, cursor: View<'_>) -> Result<usize, RpcError> {
        let bad = |why: &str| {
            let message = format!("`cursor` {why}");
            RpcError::new(code::INVALID_PARAMS, message)
                .with_text(String::from("{\"path\":\"/params/cursor\"}"))
        };
        let text = cursor.to_str().ok_or_else(|| bad("must be a string"))?;
        let (digest, start) = text.split_once('-').ok_or_else(|| bad("is none of this server's"))?;
        let start: usize = start.parse().map_err(|_| bad("is none of this server's"))?;
        if u32::from_str_radix(digest, 16) != Ok(self.digest) || start >= self.entries.len() {
            return Err(bad("belongs to a list that has changed"));
        }
        Ok(start)
    }
}

impl Hub {
    /// Replaces the tools and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no name, or one that another has: nothing is replaced.
    pub fn set_tools(&mut self, now: Tick, tools: Vec<RawJson>) -> Result<(), Misuse> {
        self.replace(now, ListKind::Tools, tools)
    }

    /// Replaces the resources and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no `uri`, or one that another has: nothing is replaced.
    pub fn set_resources(&mut self, now: Tick, resources: Vec<RawJson>) -> Result<(), Misuse> {
        self.replace(now, ListKind::Resources, resources)
    }

    /// Replaces the templates of resources and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no `uriTemplate`, or one that another has: nothing is replaced.
    pub fn set_resource_templates(&mut self, now: Tick, templates: Vec<RawJson>) -> Result<(), Misuse> {
        self.replace(now, ListKind::ResourceTemplates, templates)
    }

    /// Replaces the prompts and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no name, or one that another has: nothing is replaced.
    pub fn set_prompts(&mut self, now: Tick, prompts: Vec<RawJson>) -> Result<(), Misuse> {
        self.replace(now, ListKind::Prompts, prompts)
    }

    fn replace(&mut self, now: Tick, kind: ListKind, list: Vec<RawJson>) -> Result<(), Misuse> {
        self.turn(now);
        let list = Catalogue::check(kind, list)?;
        let own = match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::ResourceTemplates => &mut self.templates,
            ListKind::Prompts => &mut self.prompts,
        };
        let is_other = own.digest != list.digest;
        *own = list;
        if is_other {
            self.changed(kind);
        }
        Ok(())
    }

    const fn catalogue(&self, kind: ListKind) -> &Catalogue {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::ResourceTemplates => &self.templates,
            ListKind::Prompts => &self.prompts,
        }
    }

    /// Returns the object that `tools/list` shows for a tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&RawJson> {
        self.tools.get(name).map(|entry| &entry.raw)
    }

    /// Returns what tells one list of tools from another.
    pub(crate) const fn tools_digest(&self) -> u32 {
        self.tools.digest
    }

    pub(super) fn offers(&self, kind: ListKind) -> bool {
        match kind {
            ListKind::Tools => true,
            ListKind::Resources | ListKind::ResourceTemplates => {
                self.config.has_resources || !self.resources.is_empty() || !self.templates.is_empty()
            }
            ListKind::Prompts => self.config.has_prompts || !self.prompts.is_empty(),
        }
    }

    pub(super) fn list(
        &mut self,
        source: Source,
        id: &Id,
        kind: ListKind,
        params: &Params<'_>,
        revision: Revision,
    ) {
        if !self.offers(kind) {
            return self.refuse_method(source, id);
        }
        let page = match self.catalogue(kind).page(params.cursor, self.config.page_entries) {
            Ok(page) => page,
            Err(error) => return self.reply_error(source, Some(id), &error),
        };
        let era = revision.era();
        self.reply_members(source, id, era, |hub, out| {
            hub.catalogue(kind).push_page(out, page, revision);
            if era == Era::Modern {
                hub.push_cache(out);
            }
        });
    }
}
