//! How a client behaves, and what a server may ask of the application.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use crate::{
    Limits, Tolerance,
    frame::Framing,
    json::{RawJson, View, push_compact, push_string},
    map::BTreeMap,
    protocol::{Implementation, Revision},
    requests::Patience,
};

use super::Offered;

/// How a client behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientConfig {
    /// Who the client says it is.
    pub implementation: Implementation,
    /// Which era is tried first, or which revision is spoken.
    pub era: EraPolicy,
    /// What a server may ask of the application; nothing by default.
    pub offers: Offers,
    /// Extensions that the client declares, by their identifiers (2026-07-28). Each value is an object.
    pub extensions: BTreeMap<String, RawJson>,
    /// Have a modern server tell of changes of its lists, as legacy servers do unasked. On by default: the
    /// application sees [`Event::ToolsChanged`](super::Event::ToolsChanged) and its like in both eras.
    pub listens_for_changes: bool,
    /// How output that is not the protocol is taken.
    pub tolerance: Tolerance,
    /// How messages to the server are delimited.
    pub framing: Framing,
    /// The time from connecting to the end of the handshake. Default 30 s.
    pub handshake_timeout: Duration,
    /// The time that [`EraPolicy::ModernFirst`] gives a server to answer `server/discover`. Default 10 s.
    pub probe_timeout: Duration,
    /// How long a call may take where its options do not say. Default 60 s, with progress 600 s.
    pub patience: Patience,
    /// The time a server has to end by itself once its input is closed. Default 500 ms.
    pub close_grace: Duration,
    /// The time it then has to end on SIGTERM. Default 2 s.
    pub terminate_grace: Duration,
    /// The time its end is waited for once it is killed. Default 2 s.
    pub kill_grace: Duration,
    /// The time from the end of a server's output to its exit, or the other way round. Default 50 ms.
    pub drain_grace: Duration,
    /// The shortest time between two events that say that one list has changed. Default 334 ms.
    pub changes_interval: Duration,
    /// The time before a call is made again whose server wants nothing but that. Default 250 ms.
    pub retry_interval: Duration,
    /// Say goodbye with a `shutdown` request and an `exit` notification, for servers built on
    /// language-server libraries. Off by default: the protocol has no such messages. A modern server is never
    /// sent them.
    pub farewell: bool,
    /// What of a call is checked against the schemas of its tool, once the tools were listed.
    #[cfg(feature = "checks")]
    pub checks: Checks,
    /// Bounds on what the server can make the client keep.
    pub limits: Limits,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("selvedge", env!("CARGO_PKG_VERSION")),
            era: EraPolicy::default(),
            offers: Offers::default(),
            extensions: BTreeMap::new(),
            listens_for_changes: true,
            tolerance: Tolerance::default(),
            framing: Framing::default(),
            handshake_timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
            patience: Patience { idle: Duration::from_mins(1), total: Duration::from_mins(10) },
            close_grace: Duration::from_millis(500),
            terminate_grace: Duration::from_secs(2),
            kill_grace: Duration::from_secs(2),
            drain_grace: Duration::from_millis(50),
            changes_interval: Duration::from_millis(334),
            retry_interval: Duration::from_millis(250),
            farewell: false,
            #[cfg(feature = "checks")]
            checks: Checks::default(),
            limits: Limits::default(),
        }
    }
}

/// How a client finds out which era its server lives in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EraPolicy {
    /// `initialize`; where its answer speaks of versions or does not know it, `server/discover`.
    ///
    /// Over many real servers `initialize` never failed as the first request, while `server/discover` made
    /// some exit and some hang.
    #[default]
    LegacyFirst,
    /// `server/discover`; on an error or no answer in time `initialize` on the same streams, on the end of
    /// the server `initialize` to a new one.
    ModernFirst,
    /// This revision or none.
    Pinned(Revision),
}

/// What a server may ask of the application.
///
/// What is offered here is declared to the server and comes as [`Event::Asked`](super::Event::Asked); what is
/// not is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "the protocol declares each by itself")]
pub struct Offers {
    /// The server may have the application's model complete messages.
    pub sampling: bool,
    /// It may let the model use tools meanwhile. Means nothing without `sampling`.
    pub sampling_tools: bool,
    /// The server may put questions to the application's user, as forms.
    pub elicitation: bool,
    /// The server may send the application's user to a URL.
    pub elicitation_url: bool,
    /// The server may learn which folders the application works on.
    pub roots: bool,
}

/// What of a call is checked against the schemas of its tool.
///
/// The newest listing counts that the application got with `list_tools`, be it a fresh one or one that was kept;
/// what it did not list is not checked, nor is anything from the moment that the server says that its tools have
/// changed until they are listed again. [`Event::Unchecked`](super::Event::Unchecked) says what cannot be checked,
/// which stands in the way of no call.
#[cfg(feature = "checks")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Arguments that do not fit are [`Misuse::BadArguments`](crate::Misuse::BadArguments), and nothing is sent.
    pub arguments: bool,
    /// A result that is not what was promised is [`CallError::BadResult`](super::CallError::BadResult), with the
    /// result in it.
    pub results: bool,
}

#[cfg(feature = "checks")]
impl Default for Checks {
    fn default() -> Self {
        Self { arguments: true, results: true }
    }
}

/// How a request goes beyond what was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// Its kind was not offered.
    Kind,
    /// Its kind was, but not in this way.
    Way,
}

impl Offers {
    /// Returns what is offered as the capability object of a revision.
    pub(super) fn to_capabilities(
        self,
        revision: Revision,
        extensions: &BTreeMap<String, RawJson>,
    ) -> String {
        let mut members = Vec::new();
        if self.sampling {
            members.push(if self.sampling_tools { r#""sampling":{"tools":{}}"# } else { r#""sampling":{}"# });
        }
        match (self.elicitation, self.elicitation_url) {
            // Older revisions know forms only, and declare them without a word.
            (true, false) if revision < Revision::V2026_07_28 => members.push(r#""elicitation":{}"#),
            (true, false) => members.push(r#""elicitation":{"form":{}}"#),
            (true, true) => members.push(r#""elicitation":{"form":{},"url":{}}"#),
            (false, true) => members.push(r#""elicitation":{"url":{}}"#),
            (false, false) => {}
        }
        if self.roots {
            members.push(r#""roots":{}"#);
        }
        let mut out = String::from("{");
        out.push_str(&members.join(","));
        if revision >= Revision::V2026_07_28 && !extensions.is_empty() {
            push_extensions(&mut out, extensions);
        }
        out.push('}');
        out
    }

    /// Checks that a request stays within what was offered.
    pub(super) fn check(self, what: Offered, params: View<'_>) -> Result<(), Excess> {
        match what {
            Offered::Roots if self.roots => Ok(()),
            Offered::Sampling if self.sampling => {
                let has = |name| params.get(name).is_some_and(|value| !value.is_null());
                let uses_tools = has("tools") || has("toolChoice");
                if uses_tools && !self.sampling_tools { Err(Excess::Way) } else { Ok(()) }
            }
            Offered::Elicitation if self.elicitation || self.elicitation_url => {
                let is_url = params.get("mode").is_some_and(|mode| mode.is_str("url"));
                let is_offered = if is_url { self.elicitation_url } else { self.elicitation };
                if is_offered { Ok(()) } else { Err(Excess::Way) }
            }
            _ => Err(Excess::Kind),
        }
    }
}

fn push_extensions(out: &mut String, extensions: &BTreeMap<String, RawJson>) {
    if out.len() > 1 {
        out.push(',');
    }
    out.push_str("\"extensions\":{");
    for (at, (name, settings)) in extensions.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_string(out, name);
        out.push(':');
        push_compact(out, settings.as_str());
    }
    out.push('}');
}
