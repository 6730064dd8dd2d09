//! What the application wants of a connection.

use std::time::Duration;

use selvedge_core::{
    Client, Misuse, Patience, Tick,
    client::{Answer, AskId, CallId, CallOptions, Progress},
    json::RawJson,
    jsonrpc::RpcError,
    protocol::{Interests, LogLevel},
};
use tokio::sync::{mpsc, oneshot};

use crate::connection::{Error, Inspection};

/// What the application wants of a connection, beside calls. It takes its own way, past the calls that wait
/// for their turn.
pub(crate) enum Command {
    /// The caller of an order is gone.
    Cancel {
        ticket: u64,
    },
    AnswerAsk {
        ask: AskId,
        answer: Result<RawJson, RpcError>,
        reply: oneshot::Sender<Result<(), Misuse>>,
    },
    StopListening {
        listen: CallId,
        reply: oneshot::Sender<Result<(), Misuse>>,
    },
    Inspect {
        reply: oneshot::Sender<Inspection>,
    },
    Shutdown,
}

/// One call, and where its outcome goes.
pub(crate) struct Order {
    pub(crate) ticket: u64,
    pub(crate) request: Request,
    pub(crate) timeouts: Timeouts,
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) meta: Option<RawJson>,
    pub(crate) bypass_cache: bool,
    pub(crate) unchecked: bool,
    pub(crate) on_progress: Option<ProgressSink>,
    pub(crate) reply: oneshot::Sender<Result<Answer, Error>>,
}

/// What a caller said of its patience.
#[derive(Clone, Copy)]
pub(crate) struct Timeouts {
    pub(crate) idle: Option<Duration>,
    pub(crate) total: Option<Duration>,
}

impl Order {
    /// Returns how the call is made where its caller leaves something open.
    pub(super) fn options(&self, default: Patience) -> CallOptions<'_> {
        let Timeouts { idle, total } = self.timeouts;
        let patience = match (idle, total) {
            (None, None) => default,
            (Some(idle), None) => Patience { idle, total: default.total.max(idle) },
            (None, Some(total)) => Patience { idle: default.idle.min(total), total },
            (Some(idle), Some(total)) => Patience { idle, total },
        };
        CallOptions {
            patience: Some(patience),
            progress: self.on_progress.is_some(),
            log_level: self.log_level,
            meta: self.meta.as_ref().map(RawJson::as_str),
            bypass_cache: self.bypass_cache,
            unchecked: self.unchecked,
        }
    }
}

pub(crate) type ProgressSink = Box<dyn FnMut(Progress) + Send>;

/// What is asked of the server.
pub(crate) enum Request {
    CallTool { name: String, arguments: String },
    ListTools,
    ListResources,
    ListResourceTemplates,
    ListPrompts,
    ReadResource { uri: String },
    Subscribe { uri: String },
    Unsubscribe { uri: String },
    GetPrompt { name: String, arguments: String },
    Complete { reference: String, argument: String },
    SetLogLevel { level: String },
    Listen { interests: Interests },
    Discover,
    Ping,
    Other { method: String, params: String },
}

impl Request {
    pub(super) fn make(
        &self,
        client: &mut Client,
        now: Tick,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        match self {
            Self::CallTool { name, arguments } => client.call_tool(now, name, arguments, options),
            Self::ListTools => client.list_tools(now, options),
            Self::ListResources => client.list_resources(now, options),
            Self::ListResourceTemplates => client.list_resource_templates(now, options),
            Self::ListPrompts => client.list_prompts(now, options),
            Self::ReadResource { uri } => client.read_resource(now, uri, options),
            Self::Subscribe { uri } => client.subscribe(now, uri, options),
            Self::Unsubscribe { uri } => client.unsubscribe(now, uri, options),
            Self::GetPrompt { name, arguments } => client.get_prompt(now, name, arguments, options),
            Self::Complete { reference, argument } => client.complete(now, reference, argument, options),
            Self::SetLogLevel { level } => client.set_log_level(now, level, options),
            Self::Listen { interests } => client.listen(now, interests, options),
            Self::Discover => client.discover(now, options),
            Self::Ping => client.ping(now, options),
            Self::Other { method, params } => client.request(now, method, params, options),
        }
    }
}

/// What comes from the application.
pub(crate) struct Inbox {
    pub(crate) orders: mpsc::UnboundedReceiver<Order>,
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    /// Somebody has a handle that could still say something.
    pub(crate) is_open: bool,
}
