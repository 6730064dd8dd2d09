//! What a server offers, page by page, each entry as the client's revision knows it.

use alloc::{format, string::String, vec::Vec};

use sha2::{Digest as _, Sha256};

use super::{Hub, dispatch::Params, hub::Source, shape};
use crate::{
    Misuse, Tick,
    json::{RawJson, View, push_compact, push_string},
    jsonrpc::{Id, RpcError, code},
    map::BTreeMap,
    protocol::{Era, Revision},
    validate::Validator,
};

/// What a server lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl Offer {
    /// Returns the member that tells entries apart.
    const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }

    /// Returns the member of a result that holds the entries.
    const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// One list of entries.
#[derive(Debug)]
pub(super) struct Catalogue {
    offer: Offer,
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
    pub(super) fn new(offer: Offer, list: Vec<RawJson>) -> Self {
        let mut own =
            Self { offer, entries: Vec::with_capacity(list.len()), by_key: BTreeMap::new(), digest: 0 };
        let mut hasher = Sha256::new();
        for raw in list {
            let Some(key) = raw.view().get(offer.key()).and_then(View::to_text) else { continue };
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
    fn check(offer: Offer, list: Vec<RawJson>) -> Result<Self, Misuse> {
        let entries = list.len();
        let own = Self::new(offer, list);
        if own.entries.len() < entries {
            return Err(Misuse::UnusableEntry { list: offer.member(), key: offer.key() });
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

    /// Returns a page: the members of its result without the braces.
    fn page(&self, cursor: Option<View<'_>>, most: usize, revision: Revision) -> Result<String, RpcError> {
        let start = match cursor.filter(|cursor| !cursor.is_null()) {
            None => 0,
            Some(cursor) => self.start(cursor)?,
        };
        let end = start.saturating_add(most.max(1)).min(self.entries.len());
        let page = self.entries.get(start..end).unwrap_or_default();
        let bytes: usize = page.iter().map(|entry| entry.raw.as_str().len() + 1).sum();
        let mut out = String::with_capacity(bytes + 64);
        push_string(&mut out, self.offer.member());
        out.push_str(":[");
        for (at, entry) in page.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            match self.offer {
                Offer::Tools => shape::push_tool(&mut out, entry.raw.view(), revision),
                _ => push_compact(&mut out, entry.raw.as_str()),
            }
        }
        out.push(']');
        if end < self.entries.len() {
            out.push_str(",\"nextCursor\":");
            push_string(&mut out, &format!("{:08x}-{end}", self.digest));
        }
        Ok(out)
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
        self.turn(now);
        let list = Catalogue::check(Offer::Tools, tools)?;
        if core::mem::replace(&mut self.tools, list).digest != self.tools.digest {
            self.changed(Offer::Tools);
        }
        Ok(())
    }

    /// Replaces the resources and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no `uri`, or one that another has: nothing is replaced.
    pub fn set_resources(&mut self, now: Tick, resources: Vec<RawJson>) -> Result<(), Misuse> {
        self.turn(now);
        let list = Catalogue::check(Offer::Resources, resources)?;
        if core::mem::replace(&mut self.resources, list).digest != self.resources.digest {
            self.changed(Offer::Resources);
        }
        Ok(())
    }

    /// Replaces the templates of resources and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no `uriTemplate`, or one that another has: nothing is replaced.
    pub fn set_resource_templates(&mut self, now: Tick, templates: Vec<RawJson>) -> Result<(), Misuse> {
        self.turn(now);
        let list = Catalogue::check(Offer::ResourceTemplates, templates)?;
        if core::mem::replace(&mut self.templates, list).digest != self.templates.digest {
            self.changed(Offer::Resources);
        }
        Ok(())
    }

    /// Replaces the prompts and tells the clients that want to know.
    ///
    /// # Errors
    ///
    /// An entry has no name, or one that another has: nothing is replaced.
    pub fn set_prompts(&mut self, now: Tick, prompts: Vec<RawJson>) -> Result<(), Misuse> {
        self.turn(now);
        let list = Catalogue::check(Offer::Prompts, prompts)?;
        if core::mem::replace(&mut self.prompts, list).digest != self.prompts.digest {
            self.changed(Offer::Prompts);
        }
        Ok(())
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

    pub(super) fn offers(&self, offer: Offer) -> bool {
        match offer {
            Offer::Tools => true,
            Offer::Resources | Offer::ResourceTemplates => {
                self.config.has_resources || !self.resources.is_empty() || !self.templates.is_empty()
            }
            Offer::Prompts => self.config.has_prompts || !self.prompts.is_empty(),
        }
    }

    pub(super) fn list(
        &mut self,
        source: Source,
        id: &Id,
        offer: Offer,
        params: &Params<'_>,
        revision: Revision,
    ) {
        if !self.offers(offer) {
            return self.refuse_method(source, id);
        }
        let catalogue = match offer {
            Offer::Tools => &self.tools,
            Offer::Resources => &self.resources,
            Offer::ResourceTemplates => &self.templates,
            Offer::Prompts => &self.prompts,
        };
        let mut result = String::from("{");
        match catalogue.page(params.cursor, self.config.page_entries, revision) {
            Ok(page) => result.push_str(&page),
            Err(error) => return self.reply_error(source, Some(id), &error),
        }
        match revision.era() {
            Era::Legacy => {
                result.push('}');
                self.reply(source, id, &result);
            }
            Era::Modern => {
                self.push_cache(&mut result);
                result.push('}');
                self.complete(source, id, View::trusted(&result));
            }
        }
    }
}
