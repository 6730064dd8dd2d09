//! What a `subscriptions/listen` stream is about (2026-07-28 `basic/patterns/subscriptions`).

use alloc::{string::String, vec::Vec};

use crate::{
    json::{Kind, View, push_string},
    map::BTreeSet,
};

/// The kinds of change that a client wants to be told of, or that a server agreed to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interests {
    /// The list of tools.
    pub tools: bool,
    /// The list of prompts.
    pub prompts: bool,
    /// The list of resources.
    pub resources: bool,
    /// These resources.
    pub uris: Vec<String>,
}

const FLAGS: [&str; 3] = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
const URIS: &str = "resourceSubscriptions";

impl Interests {
    /// Returns an interest in one resource.
    #[must_use]
    pub fn resource(uri: impl Into<String>) -> Self {
        Self { uris: [uri.into()].into(), ..Self::default() }
    }

    /// Returns whether there is nothing to be told of.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        !self.tools && !self.prompts && !self.resources && self.uris.is_empty()
    }

    /// Returns whether this covers everything in `other`.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        (self.tools || !other.tools)
            && (self.prompts || !other.prompts)
            && (self.resources || !other.resources)
            && contains_all(&self.uris, &other.uris)
    }

    /// Returns whether a change is of interest; a resource concerns whoever follows one that it is a part of.
    pub(crate) fn concerns(&self, change: &Self) -> bool {
        let kinds = Self { uris: Vec::new(), ..change.clone() };
        let follows = |uri: &String| self.uris.iter().any(|own| uri.starts_with(own.as_str()));
        self.covers(&kinds) && change.uris.iter().all(follows)
    }

    /// Returns what of this a server agreed to: never more, and no resource twice, whatever it says.
    pub(crate) fn agreed(&self, server: &Self) -> Self {
        let named: BTreeSet<_> = server.uris.iter().collect();
        Self {
            tools: self.tools && server.tools,
            prompts: self.prompts && server.prompts,
            resources: self.resources && server.resources,
            uris: self.uris.iter().filter(|uri| named.contains(uri)).cloned().collect(),
        }
    }

    /// Appends the filter of a request.
    pub(crate) fn push_to(&self, out: &mut String) {
        out.push('{');
        let start = out.len();
        for (name, is_on) in FLAGS.iter().zip([self.tools, self.prompts, self.resources]) {
            if is_on {
                push_name(out, start, name);
                out.push_str("true");
            }
        }
        if !self.uris.is_empty() {
            push_name(out, start, URIS);
            for (at, uri) in self.uris.iter().enumerate() {
                out.push(if at == 0 { '[' } else { ',' });
                push_string(out, uri);
            }
            out.push(']');
        }
        out.push('}');
    }

    /// Reads what a server agreed to; `None` where it is not an object.
    pub(crate) fn read(view: View<'_>) -> Option<Self> {
        if view.kind() != Kind::Object {
            return None;
        }
        let flag = |name| view.get(name).and_then(View::as_bool).unwrap_or_default();
        let [tools, prompts, resources] = FLAGS.map(flag);
        let uris = view.get(URIS).into_iter().flat_map(View::elements).filter_map(View::to_text).collect();
        Some(Self { tools, prompts, resources, uris })
    }
}

fn contains_all(all: &[String], some: &[String]) -> bool {
    // A server may name very many.
    let all: BTreeSet<_> = all.iter().collect();
    some.iter().all(|uri| all.contains(uri))
}

fn push_name(out: &mut String, start: usize, name: &str) {
    if out.len() > start {
        out.push(',');
    }
    push_string(out, name);
    out.push(':');
}
