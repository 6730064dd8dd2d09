//! What a client says: effects for its host, events for its application, outcomes of calls.

#[cfg(feature = "checks")]
use alloc::boxed::Box;
use alloc::{string::String, vec::Vec};
use core::{fmt, time::Duration};

#[cfg(feature = "checks")]
use super::contracts::{BadResult, Unchecked};
use super::process::{Evidence, ExitStatus, OpenError, RetirementError};
use crate::{
    Violation,
    json::{RawJson, Shown, SyntaxError},
    jsonrpc::{Fault, Id, RpcError},
    protocol::{
        CallToolResult, Completion, Handshake, Interests, Listing, MalformedResult, Prompt, PromptResult,
        ReadResult, Resource, ResourceTemplate, Revision, Tool,
    },
    tick::whole_millis,
};

/// What a client asks its host to do next.
///
/// Exhaustive on purpose: a host that cannot carry out a new effect must not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Effect {
    /// Start the server, and report with `handle_opened` or `handle_open_failed`.
    ///
    /// A second one comes only where [`EraPolicy::ModernFirst`](super::EraPolicy::ModernFirst) was chosen, and
    /// only after the end of the first server was reported: the same command is started anew. From then on
    /// nothing of the first may be reported.
    Open,
    /// Write these bytes to the server, whole and in order.
    Send(Vec<u8>),
    /// Close the server's input, after everything that was to be written.
    CloseInput,
    /// Ask the server's whole process group to end (SIGTERM).
    Terminate,
    /// End whatever is left of the server's process group (SIGKILL).
    Kill,
    /// Tell the application.
    Event(Event),
}

/// Names a call: the requests that the application makes of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub(crate) u64);

impl CallId {
    /// Returns the id of the call's first request on the wire.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The handshake is done: calls can be made.
    Ready(Handshake),
    /// The server ended when it was asked what it speaks; it is started anew and asked otherwise.
    Replaced(Reason),
    /// A call has ended. Every call ends exactly once.
    Settled {
        /// The call.
        call: CallId,
        /// How it ended.
        outcome: Result<Answer, CallError>,
    },
    /// The server works on a call.
    Progressed {
        /// The call.
        call: CallId,
        /// How far it is.
        progress: Progress,
    },
    /// The list of tools has changed, perhaps several times.
    ToolsChanged,
    /// The list of resources has changed, perhaps several times.
    ResourcesChanged,
    /// The list of prompts has changed, perhaps several times.
    PromptsChanged,
    /// A resource that was subscribed to has changed.
    ResourceUpdated {
        /// Which one.
        uri: String,
    },
    /// The server logs.
    Logged {
        /// How grave it is, as the server puts it.
        level: String,
        /// Who in the server says it.
        logger: Option<String>,
        /// What it says.
        data: RawJson,
    },
    /// The server asks for something that was offered; `answer` answers it.
    Asked {
        /// The request.
        ask: AskId,
        /// What it asks for.
        what: Offered,
        /// The parameters of the request as they came.
        params: RawJson,
    },
    /// The server does not want the answer any more, or cannot be given it.
    AskWithdrawn {
        /// The request.
        ask: AskId,
    },
    /// The server ended a stream of notifications, or refused the one that is opened by itself.
    ListenEnded {
        /// The call that opened it.
        listen: CallId,
        /// What it was about.
        interests: Interests,
        /// Why, where the server gave an error.
        error: Option<RpcError>,
    },
    /// The server did something against the protocol.
    PeerViolated(Violation),
    /// The server reports an error that answers no request it could name.
    PeerErrored(RpcError),
    /// A tool has a schema, and a call cannot be checked against it, or not against all of it.
    #[cfg(feature = "checks")]
    Unchecked(Unchecked),
    /// The session has ended, for the reason that every later call repeats.
    Closed(Reason),
    /// Nothing is left of the server, or nothing that could be waited for.
    Retired(Result<Evidence, RetirementError>),
}

/// Names a request of the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId(pub(crate) Id);

/// What a server may ask of its client, where it was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offered {
    /// `sampling/createMessage`.
    Sampling,
    /// `elicitation/create`.
    Elicitation,
    /// `roots/list`.
    Roots,
}

impl Offered {
    const ALL: [Self; 3] = [Self::Sampling, Self::Elicitation, Self::Roots];

    /// Returns the method that asks for it.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Sampling => "sampling/createMessage",
            Self::Elicitation => "elicitation/create",
            Self::Roots => "roots/list",
        }
    }

    /// Returns what a method asks for.
    #[must_use]
    pub fn of(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.method() == method)
    }
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::Roots => "roots",
        })
    }
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done, as the server counts it.
    pub progress: RawJson,
    /// What there is to do.
    pub total: Option<RawJson>,
    /// What is being done.
    pub message: Option<String>,
}

impl Progress {
    /// Returns the share that is done, from 0 to 1, where the server says what there is to do.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let total = self.total.as_ref()?.view().as_f64().filter(|total| *total > 0.0)?;
        Some((self.progress.view().as_f64()? / total).clamp(0.0, 1.0))
    }
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The answer to `call_tool`, of a tool that did not fail.
    Called(CallToolResult),
    /// The answer to `list_tools`.
    Tools(Listing<Tool>),
    /// The answer to `list_resources`.
    Resources(Listing<Resource>),
    /// The answer to `list_resource_templates`.
    ResourceTemplates(Listing<ResourceTemplate>),
    /// The answer to `list_prompts`.
    Prompts(Listing<Prompt>),
    /// The answer to `read_resource`.
    Resource(ReadResult),
    /// The answer to `get_prompt`.
    Prompt(PromptResult),
    /// The answer to `complete`.
    Completion(Completion),
    /// The answer to `listen`: the stream is open.
    Listening {
        /// The call, which `stop_listening` takes.
        listen: CallId,
        /// What the server agreed to tell.
        agreed: Interests,
    },
    /// The answer to `discover`.
    Discovered(Handshake),
    /// The answer to a request whose result says nothing.
    Done,
    /// The answer to `request`.
    Raw(RawJson),
}

/// How a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The tool ran and says that it failed.
    #[error("the tool failed: {}", .0.text())]
    ToolFailed(CallToolResult),
    /// The tool ran, and its structured content is not what its `outputSchema` promises.
    #[cfg(feature = "checks")]
    #[error("the result is not what the tool promises: {}", .0.mismatch)]
    BadResult(Box<BadResult>),
    /// The server answered with an error.
    #[error("the server refused: {0}")]
    Refused(RpcError),
    /// No answer came in time. The server was told to stop.
    #[error("no answer within {} ms{}", whole_millis(*.after), HintText(.hint.as_ref()))]
    TimedOut {
        /// The time that ran out.
        after: Duration,
        /// What may have become of the answer.
        hint: Option<Hint>,
    },
    /// The application cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// There is no session, for this reason.
    #[error("the server is unavailable: {0}")]
    Unavailable(Reason),
    /// The answer cannot be read.
    #[error("malformed answer: {fault}")]
    Malformed {
        /// What is wrong with it.
        fault: AnswerFault,
        /// The result as it came, where it is JSON.
        raw: Option<RawJson>,
    },
    /// The answer is longer than the limit and was not read.
    #[error("the answer exceeds {limit} bytes")]
    TooLarge {
        /// The limit that it broke.
        limit: usize,
    },
    /// The application answered a question of the server with an error, so the call cannot go on.
    #[error("the application refused {what}: {error}")]
    AskRefused {
        /// What the server asked for.
        what: Offered,
        /// What the application answered.
        error: RpcError,
    },
    /// The server answered with questions more often than the limit.
    #[error("the server asked in more than {limit} rounds")]
    TooManyRounds {
        /// The limit that it broke.
        limit: usize,
    },
    /// The server does not tell of what was subscribed to.
    #[error("the server does not tell of this resource")]
    NotHonoured,
    /// The server ended a stream of notifications before it was open.
    #[error("the server ended the stream")]
    StreamEnded,
    /// The listing repeats a cursor.
    #[error("the listing repeats the cursor \"{}\"", Shown(.cursor))]
    PaginationLoop {
        /// The cursor.
        cursor: String,
    },
    /// The listing has more pages than the limit.
    #[error("the listing has more than {limit} pages")]
    TooManyPages {
        /// The limit that it broke.
        limit: usize,
    },
    /// The listing is longer than the limit.
    #[error("the listing exceeds {limit} bytes")]
    ListingTooLarge {
        /// The limit that it broke.
        limit: usize,
    },
}

/// Why an answer cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerFault {
    /// It is not JSON.
    #[error("{0}")]
    NotJson(SyntaxError),
    /// It is not UTF-8.
    #[error("invalid UTF-8 after byte {valid_up_to}")]
    NotUtf8 {
        /// How many bytes of the line are good.
        valid_up_to: usize,
    },
    /// It is not a response of JSON-RPC.
    #[error("{0}")]
    NotJsonRpc(Fault),
    /// Its result has the wrong shape.
    #[error("{0}")]
    WrongShape(MalformedResult),
    /// Its kind is not known.
    #[error("unknown kind of result: {}", Shown(.0))]
    UnknownKind(String),
    /// It asks for something that was not offered.
    #[error("the answer asks for {}, which was not offered", Shown(.0))]
    NotOffered(String),
    /// It holds questions where none are allowed, or more than may wait for the application.
    #[error("{0}")]
    Questions(Violation),
    /// An entry of a listing cannot be used, in a strict session.
    #[error("entry {index} cannot be used: {reason}")]
    BadEntry {
        /// Which entry it is, counted from 0.
        index: usize,
        /// Why it cannot be used.
        reason: String,
    },
}

/// What may have become of an answer that did not come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Hint {
    /// The server writes JSON over several lines.
    #[error("the server writes multi-line JSON on its standard output")]
    MultiLineJson,
    /// The server writes UTF-16.
    #[error("the server writes UTF-16 on its standard output")]
    Utf16,
    /// What was sent comes back.
    #[error("{}", Violation::Echoed)]
    Echo,
    /// The server reported an error that answers no request it could name.
    #[error("the server reported: {0}")]
    PeerError(RpcError),
}

struct HintText<'a>(Option<&'a Hint>);

impl fmt::Display for HintText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

/// Why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The application shut the session down.
    #[error("the session was shut down")]
    ShutDown,
    /// The server could not be started.
    #[error("{0}")]
    OpenFailed(OpenError),
    /// The handshake was not done in time.
    #[error("no handshake within {} ms{}", whole_millis(*.after), HintText(.hint.as_ref()))]
    HandshakeTimedOut {
        /// The time that ran out.
        after: Duration,
        /// What may have become of the answer.
        hint: Option<Hint>,
    },
    /// The server answered the handshake with an error.
    #[error("the server refused the handshake: {0}")]
    HandshakeRefused(RpcError),
    /// The server's answer to the handshake cannot be read.
    #[error("malformed handshake: {0}")]
    HandshakeMalformed(String),
    /// The two sides have no revision in common.
    #[error("the server speaks {}, this client speaks {}", Names(.server), Names(.client))]
    VersionUnsupported {
        /// The revisions of the server, as it names them.
        server: Vec<String>,
        /// The revisions of this client, newest first.
        client: &'static [Revision],
    },
    /// The server closed its output.
    #[error("the server closed its output")]
    OutputClosed,
    /// The server closed its input.
    #[error("the server does not read its input: {0}")]
    InputClosed(String),
    /// The server ended.
    #[error("the server {0}")]
    Exited(ExitStatus),
    /// The server did something that a session does not survive.
    #[error("{0}")]
    Violated(Violation),
}

struct Names<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Names<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            write!(f, "{}{name}", if at == 0 { "" } else { ", " })?;
        }
        if self.0.is_empty() { f.write_str("no revision that it names") } else { Ok(()) }
    }
}
