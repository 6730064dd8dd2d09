//! One server and the way to it.

mod handlers;
mod types;

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use selvedge_core::{
    Misuse,
    client::{Answer, AskId, CallId, Evidence, Reason, RetirementError},
    json::RawJson,
    jsonrpc::RpcError,
    protocol::{
        CallToolResult, Completion, Handshake, Interests, Listing, Prompt, PromptResult, ReadResult,
        Resource, ResourceTemplate, Tool,
    },
};
use serde::Serialize;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use crate::{
    driver::{Command, Driver, Inbox, Order, ProgressSink, Request, Timeouts},
    process::Server,
};

pub use handlers::{Handler, Handlers, Review, ReviewedSampling};
pub(crate) use types::Shared;
pub use types::{CallOptions, ConnectError, Error, EventSink, Inspection, Options};

/// A server that may be connected to. It owns no process: nothing has been started.
///
/// A host with several servers keeps a [`Connection`] of each before it connects any, so that none can be
/// forgotten, whatever becomes of it.
#[derive(Debug)]
pub struct Prepared {
    connection: Connection,
    start: oneshot::Sender<()>,
    ready: oneshot::Receiver<Handshake>,
}

impl Prepared {
    /// Returns a handle that retires the server whatever becomes of it.
    #[must_use]
    pub fn handle(&self) -> Connection {
        self.connection.clone()
    }

    /// Starts the server and shakes hands with it.
    ///
    /// # Errors
    ///
    /// There is no session, and nothing is left of the server.
    pub async fn connect(self) -> Result<Connection, ConnectError> {
        let Self { connection, start, ready } = self;
        // A handle may have shut the connection down already: then nobody waits for the start.
        let _ = start.send(());
        let shared = &connection.inner.shared;
        if let Ok(handshake) = ready.await {
            let _ = connection.inner.handshake.set(handshake);
            return Ok(connection);
        }
        let retirement = shared.retirement().await;
        Err(ConnectError {
            reason: shared.reason.get().cloned().unwrap_or(Reason::ShutDown),
            stderr_tail: shared.stderr_tail.get().cloned().unwrap_or_default(),
            retirement,
        })
    }
}

/// A session with one server.
///
/// Handles are cheap to clone; the last one that is dropped shuts the server down in the background.
/// Dropping the future of a call cancels the call.
#[derive(Clone, Debug)]
pub struct Connection {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    orders: mpsc::UnboundedSender<Order>,
    commands: mpsc::UnboundedSender<Command>,
    /// One permit for each call that may be in flight: further callers wait.
    permits: Semaphore,
    tickets: AtomicU64,
    handshake: OnceLock<Handshake>,
    shared: Arc<Shared>,
}

impl Connection {
    /// Starts a server and shakes hands with it.
    ///
    /// # Errors
    ///
    /// There is no session, and nothing is left of the server.
    pub async fn spawn(server: Server) -> Result<Self, ConnectError> {
        Self::prepare(server, Options::default()).connect().await
    }

    /// Prepares a connection without starting anything. Must be called within a tokio runtime.
    #[must_use]
    pub fn prepare(server: Server, mut options: Options) -> Prepared {
        options.handlers.declare(&mut options.client.offers);
        let (orders, ordered) = mpsc::unbounded_channel();
        let (commands, commanded) = mpsc::unbounded_channel();
        let inbox = Inbox { orders: ordered, commands: commanded, is_open: true };
        let (start, started) = oneshot::channel();
        let (tell_ready, ready) = oneshot::channel();
        let shared = Arc::new(Shared {
            reason: OnceLock::new(),
            retirement: OnceLock::new(),
            stragglers: OnceLock::new(),
            stderr_tail: OnceLock::new(),
            retired: watch::Sender::new(false),
        });
        let permits = Semaphore::new(options.client.limits.max_calls_in_flight.min(Semaphore::MAX_PERMITS));
        let driver = Driver::new(server, options, inbox, tell_ready, shared.clone());
        tokio::spawn(driver.run_after(started));
        let inner = Inner {
            orders,
            commands,
            permits,
            tickets: AtomicU64::new(0),
            handshake: OnceLock::new(),
            shared,
        };
        Prepared { connection: Self { inner: Arc::new(inner) }, start, ready }
    }

    /// Returns what the handshake settled; `None` before it is done.
    #[must_use]
    pub fn handshake(&self) -> Option<&Handshake> {
        self.inner.handshake.get()
    }

    /// Calls a tool.
    ///
    /// Once the tools were listed, a call is checked against the schemas of its tool, as `ClientConfig::checks`
    /// says: arguments that do not fit are `Misuse::BadArguments` and are not sent, and a result that is not what
    /// was promised is `CallError::BadResult`, with the result in it.
    ///
    /// # Errors
    ///
    /// The call has no answer, or not a good one; a tool that says that it failed is `CallError::ToolFailed`.
    pub async fn call_tool(&self, name: &str, arguments: &impl Serialize) -> Result<CallToolResult, Error> {
        self.call_tool_with(name, arguments, CallOptions::default()).await
    }

    /// Calls a tool in a certain way.
    ///
    /// # Errors
    ///
    /// The call has no answer; a tool that says that it failed is `CallError::ToolFailed`.
    pub async fn call_tool_with(
        &self,
        name: &str,
        arguments: &impl Serialize,
        options: CallOptions,
    ) -> Result<CallToolResult, Error> {
        let request = Request::CallTool { name: name.to_owned(), arguments: to_json(arguments)? };
        match self.order(request, options).await? {
            Answer::Called(result) => Ok(result),
            other => Err(mismatch(&other)),
        }
    }

    /// Lists all tools, page by page.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn list_tools(&self) -> Result<Listing<Tool>, Error> {
        self.list_tools_with(CallOptions::default()).await
    }

    /// Lists all tools in a certain way.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn list_tools_with(&self, options: CallOptions) -> Result<Listing<Tool>, Error> {
        match self.order(Request::ListTools, options).await? {
            Answer::Tools(listing) => Ok(listing),
            other => Err(mismatch(&other)),
        }
    }

    /// Lists all resources, page by page.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn list_resources(&self) -> Result<Listing<Resource>, Error> {
        match self.order(Request::ListResources, CallOptions::default()).await? {
            Answer::Resources(listing) => Ok(listing),
            other => Err(mismatch(&other)),
        }
    }

    /// Lists all templates of resources, page by page.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn list_resource_templates(&self) -> Result<Listing<ResourceTemplate>, Error> {
        match self.order(Request::ListResourceTemplates, CallOptions::default()).await? {
            Answer::ResourceTemplates(listing) => Ok(listing),
            other => Err(mismatch(&other)),
        }
    }

    /// Lists all prompts, page by page.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn list_prompts(&self) -> Result<Listing<Prompt>, Error> {
        match self.order(Request::ListPrompts, CallOptions::default()).await? {
            Answer::Prompts(listing) => Ok(listing),
            other => Err(mismatch(&other)),
        }
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResult, Error> {
        self.read_resource_with(uri, CallOptions::default()).await
    }

    /// Reads a resource in a certain way.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn read_resource_with(&self, uri: &str, options: CallOptions) -> Result<ReadResult, Error> {
        let request = Request::ReadResource { uri: uri.to_owned() };
        match self.order(request, options).await? {
            Answer::Resource(result) => Ok(result),
            other => Err(mismatch(&other)),
        }
    }

    /// Gets a prompt.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn get_prompt(&self, name: &str, arguments: &impl Serialize) -> Result<PromptResult, Error> {
        let request = Request::GetPrompt { name: name.to_owned(), arguments: to_json(arguments)? };
        match self.order(request, CallOptions::default()).await? {
            Answer::Prompt(result) => Ok(result),
            other => Err(mismatch(&other)),
        }
    }

    /// Completes an argument of a prompt or of a template: `reference` and `argument` are the `ref` and
    /// `argument` objects of `completion/complete`.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn complete(
        &self,
        reference: &impl Serialize,
        argument: &impl Serialize,
    ) -> Result<Completion, Error> {
        let request = Request::Complete { reference: to_json(reference)?, argument: to_json(argument)? };
        match self.order(request, CallOptions::default()).await? {
            Answer::Completion(completion) => Ok(completion),
            other => Err(mismatch(&other)),
        }
    }

    /// Asks to be told when a resource changes, as `Event::ResourceUpdated`.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn subscribe(&self, uri: &str) -> Result<(), Error> {
        self.order(Request::Subscribe { uri: uri.to_owned() }, CallOptions::default()).await.map(drop)
    }

    /// Asks not to be told any more when a resource changes.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), Error> {
        self.order(Request::Unsubscribe { uri: uri.to_owned() }, CallOptions::default()).await.map(drop)
    }

    /// Sets the lowest level of the server's log messages, which come as `Event::Logged`.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn set_log_level(&self, level: &str) -> Result<(), Error> {
        self.order(Request::SetLogLevel { level: level.to_owned() }, CallOptions::default()).await.map(drop)
    }

    /// Has a modern server tell of changes; returns what `stop_listening` takes, and what the server agreed to.
    /// The events come to [`Options::on_event`]. Changes of lists come without this.
    ///
    /// # Errors
    ///
    /// The call has no answer, or the session is of the legacy era.
    pub async fn listen(&self, interests: &Interests) -> Result<(CallId, Interests), Error> {
        let request = Request::Listen { interests: interests.clone() };
        match self.order(request, CallOptions::default()).await? {
            Answer::Listening { listen, agreed } => Ok((listen, agreed)),
            other => Err(mismatch(&other)),
        }
    }

    /// Ends what `listen` began.
    ///
    /// # Errors
    ///
    /// No such stream is open.
    pub async fn stop_listening(&self, listen: CallId) -> Result<(), Misuse> {
        let (reply, done) = oneshot::channel();
        let sent = self.inner.commands.send(Command::StopListening { listen, reply });
        match sent {
            Ok(()) => done.await.unwrap_or(Err(Misuse::UnknownListen)),
            Err(_) => Err(Misuse::UnknownListen),
        }
    }

    /// Asks a modern server anew what it speaks and offers.
    ///
    /// # Errors
    ///
    /// The call has no answer, or the session is of the legacy era.
    pub async fn discover(&self) -> Result<Handshake, Error> {
        let options = CallOptions { bypass_cache: true, ..CallOptions::default() };
        match self.order(Request::Discover, options).await? {
            Answer::Discovered(handshake) => Ok(handshake),
            other => Err(mismatch(&other)),
        }
    }

    /// Asks the server for a sign of life. The modern era has no pings: there [`discover`](Self::discover) does.
    ///
    /// # Errors
    ///
    /// The call has no answer, or the session is of the modern era.
    pub async fn ping(&self) -> Result<(), Error> {
        self.order(Request::Ping, CallOptions::default()).await.map(drop)
    }

    /// Makes any other request and returns its result as it came.
    ///
    /// # Errors
    ///
    /// The call has no answer.
    pub async fn request(&self, method: &str, params: &impl Serialize) -> Result<RawJson, Error> {
        let request = Request::Other { method: method.to_owned(), params: to_json(params)? };
        match self.order(request, CallOptions::default()).await? {
            Answer::Raw(result) => Ok(result),
            other => Err(mismatch(&other)),
        }
    }

    /// Answers what the server asked with `Event::Asked`.
    ///
    /// # Errors
    ///
    /// The server does not wait for this answer, or the result is not an object.
    pub async fn answer_ask(&self, ask: AskId, answer: Result<RawJson, RpcError>) -> Result<(), Misuse> {
        let (reply, answered) = oneshot::channel();
        let sent = self.inner.commands.send(Command::AnswerAsk { ask, answer, reply });
        match sent {
            Ok(()) => answered.await.unwrap_or(Err(Misuse::UnknownAsk)),
            Err(_) => Err(Misuse::UnknownAsk),
        }
    }

    /// Returns what is to be seen of the connection; `None` when the server is gone.
    pub async fn inspect(&self) -> Option<Inspection> {
        let (reply, seen) = oneshot::channel();
        self.inner.commands.send(Command::Inspect { reply }).ok()?;
        seen.await.ok()
    }

    /// Returns why the session ended; `None` while it lasts.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.inner.shared.reason.get()
    }

    /// Returns what the server wrote last on its diagnostic stream; `None` while something is left of it, when
    /// [`inspect`](Self::inspect) tells.
    #[must_use]
    pub fn stderr_tail(&self) -> Option<&str> {
        self.inner.shared.stderr_tail.get().map(String::as_str)
    }

    /// Returns how many processes the server had put outside its process group, which were ended with it; `None`
    /// while something is left of it. They are found on Linux only.
    #[must_use]
    pub fn stragglers(&self) -> Option<usize> {
        self.inner.shared.stragglers.get().copied()
    }

    /// Ends the session and waits until nothing is left of the server. Calls that wait are settled as
    /// unavailable. Doing so again returns the same.
    ///
    /// # Errors
    ///
    /// The server's end is not certain.
    pub async fn shutdown(&self) -> Result<Evidence, RetirementError> {
        // A driver that is gone has left its evidence.
        let _ = self.inner.commands.send(Command::Shutdown);
        self.inner.shared.retirement().await
    }

    async fn order(&self, request: Request, options: CallOptions) -> Result<Answer, Error> {
        let inner = &*self.inner;
        // The semaphore is never closed.
        let _permit = inner.permits.acquire().await;
        let (reply, outcome) = oneshot::channel();
        let ticket = inner.tickets.fetch_add(1, Ordering::Relaxed);
        let on_progress = options.on_progress.map(|sink| sink as ProgressSink);
        let timeouts = Timeouts { idle: options.timeout, total: options.total_timeout };
        let CallOptions { log_level, meta, bypass_cache, unchecked, .. } = options;
        let order =
            Order { ticket, request, timeouts, log_level, meta, bypass_cache, unchecked, on_progress, reply };
        if inner.orders.send(order).is_err() {
            return Err(Error::Call(inner.shared.unavailable()));
        }
        let mut guard = CancelOnDrop { commands: &inner.commands, ticket: Some(ticket) };
        let outcome = outcome.await;
        guard.ticket = None;
        outcome.unwrap_or_else(|_| Err(Error::Call(inner.shared.unavailable())))
    }
}

/// Tells the driver that nobody waits for a call any more.
struct CancelOnDrop<'a> {
    commands: &'a mpsc::UnboundedSender<Command>,
    ticket: Option<u64>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            // A driver that is gone has settled the call.
            let _ = self.commands.send(Command::Cancel { ticket });
        }
    }
}

fn to_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(Error::Arguments)
}

/// The engine answers a request with the answer of its kind; anything else is a fault of ours.
fn mismatch(answer: &Answer) -> Error {
    unreachable!("the engine answered another request: {answer:?}")
}
