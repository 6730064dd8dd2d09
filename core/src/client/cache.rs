//! Results that a modern server lets its client keep for a while (2026-07-28 `server/utilities/caching`).

use alloc::string::{String, ToString};
use core::time::Duration;

use super::{CallId, CallOptions, Client};
use crate::{
    Tick,
    json::RawJson,
    map::BTreeMap,
    protocol::{Era, Interests, ListKind, Pages, Turn},
};

/// What an entry costs beside its texts, roughly.
const ENTRY_BYTES: usize = 160;

/// What a result is kept under: its method and the parameter that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Discovery,
    /// A page, by its cursor; the first one has none.
    Page(ListKind, Option<String>),
    /// A resource, by its URI.
    Resource(String),
}

/// The results that may still be fresh, bounded by their bytes; where there is no room the oldest go first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    entries: BTreeMap<Key, Entry>,
    /// The keys in the order in which they came.
    order: BTreeMap<u64, Key>,
    last: u64,
    bytes: usize,
    generation: u64,
}

#[derive(Debug)]
struct Entry {
    result: RawJson,
    fresh_until: Tick,
    place: u64,
    bytes: usize,
}

impl Cache {
    /// Returns what changes with every change that the server tells of: a result that was asked for under an
    /// earlier generation may be older than the change, and is not kept.
    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns a result that is still fresh.
    pub(super) fn get(&self, now: Tick, key: &Key) -> Option<&RawJson> {
        self.entries.get(key).filter(|entry| now < entry.fresh_until).map(|entry| &entry.result)
    }

    /// Keeps a result for `millis` milliseconds from `now`, where it fits.
    pub(super) fn put(&mut self, now: Tick, key: Key, result: &RawJson, millis: u64, max_bytes: usize) {
        self.remove(&key);
        let bytes = result.as_str().len() + key.bytes() + ENTRY_BYTES;
        if millis == 0 || bytes > max_bytes {
            return;
        }
        while self.bytes + bytes > max_bytes
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.remove(&oldest);
        }
        self.last += 1;
        self.bytes += bytes;
        self.order.insert(self.last, key.clone());
        let fresh_until = now.after(Duration::from_millis(millis));
        // A copy of its own: the result may lie within a line that is much longer.
        let result = RawJson::copied(result.as_str());
        self.entries.insert(key, Entry { result, fresh_until, place: self.last, bytes });
    }

    /// Forgets the pages of a listing.
    pub(super) fn forget_pages(&mut self, kind: ListKind) {
        self.forget(|key| matches!(key, Key::Page(own, _) if *own == kind));
    }

    /// Forgets what the server says has changed.
    pub(super) fn invalidate(&mut self, changed: &Interests) {
        self.generation += 1;
        self.forget(|key| match key {
            Key::Discovery => false,
            Key::Page(ListKind::Tools, _) => changed.tools,
            Key::Page(ListKind::Prompts, _) => changed.prompts,
            Key::Page(ListKind::Resources | ListKind::ResourceTemplates, _) => changed.resources,
            Key::Resource(uri) => changed.uris.contains(uri),
        });
    }

    fn forget(&mut self, is_stale: impl Fn(&Key) -> bool) {
        let stale: alloc::vec::Vec<_> = self.entries.keys().filter(|key| is_stale(key)).cloned().collect();
        for key in stale {
            self.remove(&key);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.place);
            self.bytes -= entry.bytes;
        }
    }
}

impl Client {
    /// Returns a listing whose pages are all still fresh. One that is fresh in part is asked for as a whole:
    /// its pages would be of different times.
    pub(super) fn cached_pages(&self, kind: ListKind) -> Option<Pages> {
        let limits = &self.config.limits;
        let mut pages = Pages::new(kind, Era::Modern);
        loop {
            let page = self.cache.get(self.now, &Key::page(kind, pages.cursor()))?;
            match pages.push(page.clone(), limits.max_pages, limits.max_listing_bytes) {
                Turn::Done => return Some(pages),
                Turn::Next(_) => {}
                Turn::Loop(_) | Turn::TooManyPages | Turn::TooManyBytes => return None,
            }
        }
    }

    /// Settles a call with a result that is still fresh, where there is one and it may be taken.
    pub(super) fn cached(&mut self, now: Tick, key: &Key, options: CallOptions<'_>) -> Option<CallId> {
        let now = self.turn(now);
        if options.bypass_cache || !self.is_ready_modern() {
            return None;
        }
        let result = self.cache.get(now, key)?.clone();
        let answer = Self::read_kept(key, result)?;
        Some(self.settle_at_once(answer))
    }
}

impl Key {
    pub(super) fn page(kind: ListKind, cursor: Option<&str>) -> Self {
        Self::Page(kind, cursor.map(ToString::to_string))
    }

    /// Returns the length of its text, which is kept twice.
    const fn bytes(&self) -> usize {
        match self {
            Self::Discovery | Self::Page(_, None) => 0,
            Self::Page(_, Some(text)) | Self::Resource(text) => 2 * text.len(),
        }
    }
}
