//! What a server tells its application, and what the application answers.

use alloc::{string::String, sync::Arc, vec::Vec};

use crate::{
    Violation,
    client::Offered,
    json::{RawJson, View},
    jsonrpc::RpcError,
    protocol::{
        Implementation, LogLevel, Revision,
        meta::{CLIENT_CAPABILITIES, CLIENT_INFO},
    },
};

/// Names a peer: the one client of a pipe, one session over HTTP, or one stateless request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(pub(super) u64);

/// Names a request that waits for the application. It is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServedCall(pub(super) u64);

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A client has shaken hands; clients of the modern era never do.
    Initialized {
        /// The session.
        peer: Peer,
        /// The client; its name is empty where it did not give one.
        client: Implementation,
        /// The revision that both sides speak from here on.
        revision: Revision,
    },
    /// A client wants something of the application; [`Hub::answer`](super::Hub::answer) answers it.
    ///
    /// The same call comes again, with more answers in its context, after
    /// [`Answer::Input`] in the legacy era.
    Requested {
        /// The call.
        call: ServedCall,
        /// What is wanted.
        request: Request,
        /// Who wants it, and what it has answered so far.
        context: Context,
    },
    /// Nobody waits for the answer any more.
    Cancelled {
        /// The call.
        call: ServedCall,
    },
    /// A first client wants to be told when a resource changes.
    Watched {
        /// The resource.
        uri: String,
    },
    /// The last client that wanted to be told has gone.
    Unwatched {
        /// The resource.
        uri: String,
    },
    /// The folders that a client works on have changed (legacy era).
    RootsChanged {
        /// The session.
        peer: Peer,
    },
    /// A client did something against the protocol.
    PeerViolated {
        /// The client.
        peer: Peer,
        /// What it did.
        violation: Violation,
    },
    /// A client has ended its session.
    Closed {
        /// The session.
        peer: Peer,
    },
}

/// What a client wants of the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Call a tool; its arguments fit its schema.
    CallTool {
        /// The tool, one of the listed ones.
        name: String,
        /// Its arguments, an object.
        arguments: Arc<RawJson>,
    },
    /// Read a resource, whether it is listed or not.
    ReadResource {
        /// The resource.
        uri: String,
    },
    /// Get a prompt.
    GetPrompt {
        /// The prompt, one of the listed ones.
        name: String,
        /// Its arguments, an object of strings.
        arguments: Arc<RawJson>,
    },
    /// Complete an argument of a prompt or of a template.
    Complete {
        /// The `ref` object.
        reference: Arc<RawJson>,
        /// The `argument` object.
        argument: Arc<RawJson>,
        /// The `context` object, where the client gave one.
        context: Option<Arc<RawJson>>,
    },
}

impl Request {
    /// Returns what its parameters take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::CallTool { name, arguments } | Self::GetPrompt { name, arguments } => {
                name.len() + arguments.as_str().len()
            }
            Self::ReadResource { uri } => uri.len(),
            Self::Complete { reference, argument, context } => {
                let context = context.as_ref().map_or(0, |context| context.as_str().len());
                reference.as_str().len() + argument.as_str().len() + context
            }
        }
    }

    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::CallTool { .. } => "tools/call",
            Self::ReadResource { .. } => "resources/read",
            Self::GetPrompt { .. } => "prompts/get",
            Self::Complete { .. } => "completion/complete",
        }
    }
}

/// Who makes a request, and what came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Context {
    /// The peer.
    pub peer: Peer,
    /// The text of the request's id, for records.
    pub id: String,
    /// The revision that the request speaks.
    pub revision: Revision,
    /// What the handshake of the session said of the client (legacy era).
    pub(super) client: Option<Arc<Declared>>,
    /// Who the transport says the client is, where it checks that.
    pub principal: Option<Arc<str>>,
    /// What the client has answered so far, by key; an object.
    pub answers: Option<Arc<RawJson>>,
    /// The application's own state of the last round.
    pub state: Option<String>,
    /// The lowest level of log messages that the client wants of this request.
    pub log_level: Option<LogLevel>,
    /// The client wants to be told of progress.
    pub wants_progress: bool,
    /// The request's `_meta`, where it has one.
    pub meta: Option<Arc<RawJson>>,
}

/// What a client says of itself in a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) client: Implementation,
    pub(super) capabilities: RawJson,
}

impl Context {
    /// Returns who the client says it is.
    #[must_use]
    pub fn client(&self) -> Option<Implementation> {
        match &self.client {
            Some(declared) => Some(declared.client.clone()),
            None => self.meta.as_ref()?.view().get(CLIENT_INFO).map(Implementation::read),
        }
    }

    /// Returns what the client says it can do, an object.
    #[must_use]
    pub fn capabilities(&self) -> View<'_> {
        capabilities(self.client.as_deref(), self.meta.as_deref())
    }

    /// Returns what the client answered to the question with this key.
    #[must_use]
    pub fn answered(&self, key: &str) -> Option<View<'_>> {
        self.answers.as_ref()?.view().get(key)
    }
}

/// Returns what a client can do: as its session declared it, or the request's own envelope.
pub(super) fn capabilities<'a>(declared: Option<&'a Declared>, meta: Option<&'a RawJson>) -> View<'a> {
    let own = || meta.and_then(|meta| meta.view().get(CLIENT_CAPABILITIES));
    declared.map(|declared| declared.capabilities.view()).or_else(own).unwrap_or(View::trusted("{}"))
}

/// How a request ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The result, an object as the newest revision has it; older clients get what theirs knows.
    ///
    /// A tool that failed in a way that a model can put right says so here, with `isError`.
    Result(RawJson),
    /// The client must answer first; the request then comes again with its answers.
    Input(Input),
    /// The resource does not exist.
    NotFound,
    /// The request cannot be served.
    Failed(RpcError),
    /// The application broke down over it; the client is told no more than that.
    Crashed,
}

/// What a client must answer before a request can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The questions; their keys tell the answers apart.
    pub questions: Vec<Question>,
    /// What the application wants to find again in [`Context::state`]; the client can read it, but not
    /// change it.
    pub state: Option<String>,
}

/// A question to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Tells the answer from those to other questions of the same request.
    pub key: String,
    /// What is asked for.
    pub what: Offered,
    /// The parameters of `sampling/createMessage`, `elicitation/create` or `roots/list`, an object.
    pub params: RawJson,
}
