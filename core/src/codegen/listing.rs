//! Reads what a server listed: its tools, and the entries that are none.

use alloc::{borrow::Cow, vec::Vec};
use core::fmt;

use crate::json::{Item, Kind, MAX_DEPTH, Scanner, SyntaxError, Tape};

/// A `tools/list` result, read once.
#[derive(Debug)]
pub struct Listing<'a> {
    tape: Tape<'a>,
    entries: Vec<Entry>,
    faults: Vec<EntryFault>,
    faults_beyond: usize,
}

/// The most entries that are no tools and are named one by one.
const MAX_FAULTS: usize = 1_000;
/// The levels around a tool in a response: the response, its result, the list.
const LEVELS_AROUND: usize = 3;
/// The longest name of a tool, as it is written: one name must not fill the surface of all.
const MAX_NAME_BYTES: usize = 1_024;

/// Where the members of a well-formed entry stand.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: u32,
    description: Option<u32>,
    input: u32,
    output: Option<u32>,
}

/// One listed tool.
#[derive(Clone, Debug)]
pub struct Tool<'t> {
    /// The name that calls it.
    pub name: Cow<'t, str>,
    /// The server's text about it.
    pub description: Option<Cow<'t, str>>,
    /// What its arguments must be.
    pub input: Item<'t>,
    /// What its structured result will be.
    pub output: Option<Item<'t>>,
}

/// A text that is no listing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// The text is not JSON.
    #[error("the listing is {0}")]
    Syntax(#[from] SyntaxError),
    /// The text is a response that reports a failure.
    #[error("the response is an error, not a listing")]
    ErrorResponse,
    /// The text holds no list of tools.
    #[error("neither a list of tools nor an object with `tools` or `result.tools`")]
    NoTools,
}

/// An entry of a listing that is no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tool {index} of the listing: {}{problem}", Named(.member))]
pub struct EntryFault {
    /// The place of the entry, from 0.
    pub index: usize,
    /// The member that is at fault; empty for the entry as a whole.
    pub member: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a member of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is not there.
    #[error("is missing")]
    Missing,
    /// It is something else.
    #[error("is {0:?}, not {1:?}")]
    Kind(Kind, Kind),
    /// It holds nothing.
    #[error("is empty")]
    Empty,
    /// It is longer than the limit.
    #[error("of {bytes} bytes exceeds {limit} bytes")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// It nests deeper than the limit.
    #[error("nests {levels} levels, more than {limit}")]
    TooDeep {
        /// Its levels.
        levels: usize,
        /// The limit that it broke.
        limit: usize,
    },
    /// It holds half of a character.
    #[error("holds a surrogate without its partner")]
    Surrogate,
}

/// Shows a member before what is wrong with it; for an entry as a whole, what it is.
struct Named<'a>(&'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => f.write_str("the entry "),
            member => write!(f, "`{member}` "),
        }
    }
}

impl<'a> Listing<'a> {
    /// Reads a `tools/list` result, a JSON-RPC response around one, or a bare array of tools.
    ///
    /// # Errors
    ///
    /// Says why the text is no listing. An entry that is no tool does not fail the listing; it is kept in
    /// [`faults`](Self::faults).
    pub fn parse(text: &'a str) -> Result<Self, ListingError> {
        let tape = Tape::parse_down_to(text, MAX_DEPTH + LEVELS_AROUND)?;
        let mut listing = Self { tape, entries: Vec::new(), faults: Vec::new(), faults_beyond: 0 };
        listing.read()?;
        Ok(listing)
    }

    /// Returns the first 1,000 entries that are no tools, in their order.
    #[must_use]
    pub fn faults(&self) -> &[EntryFault] {
        &self.faults
    }

    /// Returns how many further entries are no tools.
    #[must_use]
    pub const fn faults_beyond(&self) -> usize {
        self.faults_beyond
    }

    /// Returns how many tools are well formed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether no tool is well formed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the well-formed tools in their order.
    pub fn tools(&self) -> impl Iterator<Item = Tool<'_>> {
        self.entries.iter().map(|entry| Tool {
            name: self.tape.item(entry.name).to_str().unwrap_or_default(),
            description: entry.description.and_then(|at| self.tape.item(at).to_str()),
            input: self.tape.item(entry.input),
            output: entry.output.map(|at| self.tape.item(at)),
        })
    }

    fn read(&mut self) -> Result<(), ListingError> {
        let is_deep = self.tape.levels() > MAX_DEPTH;
        for (index, item) in find_tools(self.tape.root())?.elements().enumerate() {
            match check_levels(item, is_deep).and_then(|()| entry(item)) {
                Ok(entry) => self.entries.push(entry),
                Err((member, problem)) if self.faults.len() < MAX_FAULTS => {
                    self.faults.push(EntryFault { index, member, problem });
                }
                Err(_) => self.faults_beyond += 1,
            }
        }
        Ok(())
    }
}

fn find_tools(root: Item<'_>) -> Result<Item<'_>, ListingError> {
    let is_list = |item: &Item<'_>| item.kind() == Kind::Array;
    let inside = root.get("result").and_then(|result| result.get("tools"));
    let found = if is_list(&root) { Some(root) } else { inside };
    if found.is_none() && root.get("error").is_some() && root.get("jsonrpc").is_some() {
        return Err(ListingError::ErrorResponse);
    }
    let tools = found.or_else(|| root.get("tools")).ok_or(ListingError::NoTools)?;
    if is_list(&tools) { Ok(tools) } else { Err(ListingError::NoTools) }
}

/// Checks the depth of an entry, where the listing is deep.
fn check_levels(item: Item<'_>, is_deep: bool) -> Result<(), (&'static str, Problem)> {
    let levels = if is_deep { Scanner::new(item.as_str()).levels() } else { 0 };
    if levels > MAX_DEPTH {
        return Err(("", Problem::TooDeep { levels, limit: MAX_DEPTH }));
    }
    Ok(())
}

fn entry(item: Item<'_>) -> Result<Entry, (&'static str, Problem)> {
    if item.kind() != Kind::Object {
        return Err(("", Problem::Kind(item.kind(), Kind::Object)));
    }
    let [name, description, input, output] =
        item.pick(["name", "description", "inputSchema", "outputSchema"]);
    let name = name.ok_or(("name", Problem::Missing))?;
    if name.kind() != Kind::String {
        return Err(("name", Problem::Kind(name.kind(), Kind::String)));
    }
    if name.is_str("") {
        return Err(("name", Problem::Empty));
    }
    if name.as_str().len() > MAX_NAME_BYTES {
        return Err(("name", Problem::TooLong { bytes: name.as_str().len(), limit: MAX_NAME_BYTES }));
    }
    let input = input.ok_or(("inputSchema", Problem::Missing))?;
    for (member, value) in [("name", Some(name)), ("inputSchema", Some(input)), ("outputSchema", output)] {
        if value.is_some_and(Item::has_lone_surrogate) {
            return Err((member, Problem::Surrogate));
        }
    }
    let index = |item: Item<'_>| item.index();
    Ok(Entry {
        name: index(name),
        description: description.map(index),
        input: index(input),
        output: output.map(index),
    })
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString, vec::Vec};

    use super::*;

    #[test]
    fn a_result_a_response_and_an_array_read_alike() {
        let tools = r#"[{"name":"a","inputSchema":{},"description":7,"title":null}]"#;
        for text in [
            tools.to_string(),
            format!(r#"{{"tools":{tools},"nextCursor":"x"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{tools}}}}}"#),
        ] {
            let listing = Listing::parse(&text).unwrap();
            let names: Vec<_> = listing.tools().map(|tool| tool.name.to_string()).collect();
            assert_eq!(names, ["a"], "{text}");
            assert_eq!(listing.tools().next().unwrap().description, None);
        }
    }

    #[test]
    fn entries_that_are_no_tools_are_named_up_to_a_bound_and_counted_beyond() {
        let text = format!("[{}0]", "{},".repeat(MAX_FAULTS + 41));
        let listing = Listing::parse(&text).unwrap();
        assert_eq!((listing.faults().len(), listing.faults_beyond()), (MAX_FAULTS, 42));
        assert_eq!(listing.faults().last().map(|fault| fault.index), Some(MAX_FAULTS - 1));
    }

    #[test]
    fn an_entry_that_is_no_tool_is_named_by_index_and_member() {
        let text = r#"[1,{"inputSchema":{}},{"name":"","inputSchema":{}},{"name":2,"inputSchema":{}},
            {"name":"x"},{"name":"\ud800","inputSchema":{}},{"name":"ok","inputSchema":null}]"#;
        let listing = Listing::parse(text).unwrap();
        let seen: Vec<_> = listing.faults().iter().map(|fault| (fault.index, fault.member)).collect();
        assert_eq!(seen, [(0, ""), (1, "name"), (2, "name"), (3, "name"), (4, "inputSchema"), (5, "name")]);
        assert_eq!(listing.len(), 1);
        assert_eq!(listing.faults()[4].to_string(), "tool 4 of the listing: `inputSchema` is missing");
    }

    #[test]
    fn a_tool_that_nests_too_deep_or_has_a_long_name_costs_itself_alone() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let ok = r#"{"name":"ok","inputSchema":{}}"#;
        let tools = |levels: usize| {
            [
                format!(r#"[{{"name":"meta","inputSchema":{{}},"_meta":{}}},{ok},"#, nested(levels - 1)),
                format!(r#"{{"name":"schema","inputSchema":{{"default":{}}}}},{ok},"#, nested(levels - 2)),
                format!("{}]", nested(levels)),
            ]
            .concat()
        };
        let around = |tools: &str| {
            [
                tools.to_string(),
                format!(r#"{{"result":{{"tools":{tools}}}}}"#),
                format!(r#"{{"tools":{tools}}}"#),
            ]
        };
        for text in around(&tools(MAX_DEPTH)) {
            let listing = Listing::parse(&text).unwrap();
            assert_eq!((listing.len(), listing.faults().len()), (4, 1));
        }
        for levels in [MAX_DEPTH + 1, MAX_DEPTH + 4, 100_000] {
            for text in around(&tools(levels)) {
                let listing = Listing::parse(&text).unwrap();
                assert_eq!(
                    listing.tools().map(|tool| tool.name.to_string()).collect::<Vec<_>>(),
                    ["ok", "ok"]
                );
                let told: Vec<_> = listing.faults().iter().map(ToString::to_string).collect();
                assert_eq!(
                    told[1],
                    format!("tool 2 of the listing: the entry nests {levels} levels, more than 128")
                );
                assert_eq!(told.len(), 3);
            }
        }
        let long = "x".repeat(2_000);
        let text = format!(r#"[{ok},{{"name":"{long}","inputSchema":1}}]"#);
        let listing = Listing::parse(&text).unwrap();
        let told: Vec<_> = listing.faults().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["tool 1 of the listing: `name` of 2002 bytes exceeds 1024 bytes"]);
        assert_eq!(listing.len(), 1);
        assert!(Listing::parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn what_is_no_listing_is_refused_with_its_reason() {
        for (text, error) in [
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, ListingError::ErrorResponse),
            ("{}", ListingError::NoTools),
            (r#"{"tools":{}}"#, ListingError::NoTools),
            ("7", ListingError::NoTools),
        ] {
            assert_eq!(Listing::parse(text).unwrap_err(), error, "{text}");
        }
        assert!(matches!(Listing::parse("[").unwrap_err(), ListingError::Syntax(_)));
    }
}
