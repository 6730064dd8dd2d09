//! Listings of several pages (spec `server/utilities/pagination`).

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Era, MalformedResult, Prompt, PromptArgument, Resource, ResourceTemplate, Tool,
    lists::{member_array, text},
};
use crate::{
    Tolerance,
    json::{Kind, RawJson, View},
    map::BTreeSet,
};

/// A whole listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The entries that can be used, in their order.
    pub items: Vec<T>,
    /// The entries that cannot.
    pub quarantined: Vec<Quarantined>,
}

/// An entry of a listing that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Which entry it is, counted from 0 over all pages.
    pub index: usize,
    /// Its name, where it shows one.
    pub name: Option<String>,
    /// Why it cannot be used.
    pub reason: String,
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListKind {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl ListKind {
    const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::ResourceTemplates, Self::Prompts];

    /// Returns what a method lists.
    pub(crate) fn of(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.method() == method)
    }

    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }

    /// Returns the member that tells entries apart.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }

    /// Returns the member of a result that holds the entries.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// The pages of a listing that have come so far.
#[derive(Debug)]
pub(crate) struct Pages {
    kind: ListKind,
    era: Era,
    received: Vec<RawJson>,
    bytes: usize,
    cursors: Vec<String>,
}

/// What a page leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The next page is asked for with this cursor.
    Next(String),
    /// The listing is whole.
    Done,
    /// The server sent this cursor before.
    Loop(String),
    /// There are more pages than the limit.
    TooManyPages,
    /// There are more bytes than the limit.
    TooManyBytes,
}

impl Pages {
    pub(crate) const fn new(kind: ListKind, era: Era) -> Self {
        Self { kind, era, received: Vec::new(), bytes: 0, cursors: Vec::new() }
    }

    /// Returns whether no page has come yet.
    pub(crate) const fn is_empty(&self) -> bool {
        self.received.is_empty()
    }

    pub(crate) const fn kind(&self) -> ListKind {
        self.kind
    }

    /// Returns the cursor that the page under way was asked for with; the first page has none.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursors.last().map(String::as_str)
    }

    /// Takes a page. An empty cursor ends a listing of the legacy era; in the modern one it is a cursor.
    pub(crate) fn push(&mut self, page: RawJson, max_pages: usize, max_bytes: usize) -> Turn {
        let cursor = page.view().get("nextCursor").and_then(View::to_text);
        self.bytes += page.as_str().len();
        self.received.push(page);
        if self.bytes > max_bytes {
            return Turn::TooManyBytes;
        }
        let Some(cursor) = cursor.filter(|cursor| self.era == Era::Modern || !cursor.is_empty()) else {
            return Turn::Done;
        };
        if self.cursors.contains(&cursor) {
            return Turn::Loop(cursor);
        }
        if self.received.len() >= max_pages {
            return Turn::TooManyPages;
        }
        self.cursors.push(cursor.clone());
        Turn::Next(cursor)
    }

    /// Returns whether a page has a cursor that cannot be one.
    pub(crate) fn has_bad_cursor(page: View<'_>) -> bool {
        page.get("nextCursor").is_some_and(|cursor| !matches!(cursor.kind(), Kind::String | Kind::Null))
    }

    /// Checks that a page has the shape of one.
    pub(crate) fn check(&self, page: View<'_>) -> Result<(), MalformedResult> {
        member_array(page, self.kind.member()).map(drop)
    }

    /// Reads all entries. In a strict session the first one that cannot be used fails the listing.
    /// Of entries with the same key, the first stays; `repeated` counts the others.
    pub(crate) fn finish<T: Entry>(
        &self,
        tolerance: Tolerance,
        repeated: &mut usize,
    ) -> Result<Listing<T>, Quarantined> {
        let mut items = Vec::new();
        let quarantined = self.walk(tolerance, repeated, &mut |entry| {
            items.push(T::read(entry)?);
            Ok(())
        })?;
        Ok(Listing { items, quarantined })
    }

    /// Hands out all entries and returns those that were refused.
    fn walk(
        &self,
        tolerance: Tolerance,
        repeated: &mut usize,
        take: &mut dyn FnMut(View<'_>) -> Result<(), String>,
    ) -> Result<Vec<Quarantined>, Quarantined> {
        let mut all = Vec::new();
        let mut keys = BTreeSet::new();
        let mut index = 0;
        for page in &self.received {
            let Some(list) = page.view().get(self.kind.member()) else { continue };
            for entry in list.elements() {
                let key = entry.get(self.kind.key()).and_then(View::to_str);
                let outcome = if key.as_ref().is_some_and(|key| keys.contains(key)) {
                    *repeated += 1;
                    Err(alloc::format!("an earlier entry has the same `{}`", self.kind.key()))
                } else {
                    take(entry)
                };
                if outcome.is_ok() {
                    keys.extend(key);
                }
                if let Err(reason) = outcome {
                    let quarantined = Quarantined { index, name: text(entry, "name"), reason };
                    if tolerance == Tolerance::Strict {
                        return Err(quarantined);
                    }
                    all.push(quarantined);
                }
                index += 1;
            }
        }
        Ok(all)
    }
}

/// An entry of a listing.
pub(crate) trait Entry: Sized {
    /// Reads an entry, or says why it cannot be used.
    fn read(view: View<'_>) -> Result<Self, String>;
}

/// Returns the first members of these names of an entry, which must be an object.
fn members<'a, const N: usize>(entry: View<'a>, names: [&str; N]) -> Result<[Option<View<'a>>; N], String> {
    if entry.kind() != Kind::Object {
        return Err(alloc::format!("must be an object, not {}", entry.kind().name()));
    }
    Ok(entry.pick(names))
}

fn to_text(member: Option<View<'_>>) -> Option<String> {
    member.and_then(View::to_text)
}

/// Reads a member that must be a string and hold something.
fn required(member: Option<View<'_>>, name: &str) -> Result<String, String> {
    let fault = match member {
        None => "is absent".to_owned(),
        Some(value) => match value.to_text() {
            None => "must be a string, not ".to_owned() + value.kind().name(),
            Some(text) if text.is_empty() => "is empty".to_owned(),
            Some(text) => return Ok(text),
        },
    };
    Err(alloc::format!("`{name}` {fault}"))
}

impl Entry for Tool {
    fn read(view: View<'_>) -> Result<Self, String> {
        let names = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
        let [name, title, description, input, output, annotations] = members(view, names)?;
        let name = required(name, "name")?;
        let input = input.ok_or_else(|| "`inputSchema` is absent".to_string())?;
        // Servers without parameters write `null`; it says as little as `true`.
        if !matches!(input.kind(), Kind::Object | Kind::Bool | Kind::Null) {
            return Err(alloc::format!("`inputSchema` must be a schema, not {}", input.kind().name()));
        }
        Ok(Self {
            name,
            title: to_text(title),
            description: to_text(description),
            input_schema: input.to_raw(),
            output_schema: output.map(View::to_raw),
            annotations: annotations.map(View::to_raw),
            raw: view.to_raw(),
        })
    }
}

impl Entry for Resource {
    fn read(view: View<'_>) -> Result<Self, String> {
        let names = ["uri", "name", "title", "description", "mimeType", "size"];
        let [uri, name, title, description, mime_type, size] = members(view, names)?;
        Ok(Self {
            uri: required(uri, "uri")?,
            name: to_text(name).unwrap_or_default(),
            title: to_text(title),
            description: to_text(description),
            mime_type: to_text(mime_type),
            size: size.and_then(View::as_i64).and_then(|size| u64::try_from(size).ok()),
            raw: view.to_raw(),
        })
    }
}

impl Entry for ResourceTemplate {
    fn read(view: View<'_>) -> Result<Self, String> {
        let names = ["uriTemplate", "name", "title", "description", "mimeType"];
        let [uri_template, name, title, description, mime_type] = members(view, names)?;
        Ok(Self {
            uri_template: required(uri_template, "uriTemplate")?,
            name: to_text(name).unwrap_or_default(),
            title: to_text(title),
            description: to_text(description),
            mime_type: to_text(mime_type),
            raw: view.to_raw(),
        })
    }
}

impl Entry for Prompt {
    fn read(view: View<'_>) -> Result<Self, String> {
        let [name, title, description, list] = members(view, ["name", "title", "description", "arguments"])?;
        let name = required(name, "name")?;
        let mut arguments = Vec::new();
        for argument in list.into_iter().flat_map(View::elements) {
            arguments.push(read_argument(argument).map_err(|reason| "argument: ".to_owned() + &reason)?);
        }
        Ok(Self {
            name,
            title: to_text(title),
            description: to_text(description),
            arguments,
            raw: view.to_raw(),
        })
    }
}

fn read_argument(view: View<'_>) -> Result<PromptArgument, String> {
    let [name, title, description, is_required] =
        members(view, ["name", "title", "description", "required"])?;
    Ok(PromptArgument {
        name: required(name, "name")?,
        title: to_text(title),
        description: to_text(description),
        required: is_required.and_then(View::as_bool).unwrap_or_default(),
    })
}
