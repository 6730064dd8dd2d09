//! What a service says besides its answers.

use std::fmt;
#[cfg(feature = "http-server")]
use std::sync::Arc;

use selvedge_core::{
    Misuse, Tick,
    json::RawJson,
    protocol::LogLevel,
    server::{Hub, ServedCall},
};
use tokio::sync::mpsc;

/// Something that a service says.
#[derive(Debug)]
pub(crate) enum Command {
    Progress {
        call: ServedCall,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    Log {
        call: Option<ServedCall>,
        level: LogLevel,
        logger: Option<String>,
        data: RawJson,
    },
    /// Lets the client of a call come back for the rest later; of no meaning on a pipe.
    CloseStream {
        call: ServedCall,
    },
    Tools(Vec<RawJson>),
    Resources(Vec<RawJson>),
    ResourceTemplates(Vec<RawJson>),
    Prompts(Vec<RawJson>),
    ResourceUpdated {
        uri: String,
    },
}

impl Command {
    /// Carries it out; what nobody waits for any more is nobody's fault.
    pub(crate) fn apply(self, hub: &mut Hub, now: Tick) {
        let result = match self {
            Self::Progress { call, progress, total, message } => {
                hub.report_progress(now, call, progress, total, message.as_deref())
            }
            Self::Log { call: Some(call), level, logger, data } => {
                hub.log(now, call, level, logger.as_deref(), &data)
            }
            Self::Log { call: None, level, logger, data } => {
                hub.log_to_all(now, level, logger.as_deref(), &data);
                Ok(())
            }
            Self::CloseStream { call } => {
                tracing::trace!(?call, "a pipe has no stream to close");
                Ok(())
            }
            Self::Tools(list) => hub.set_tools(now, list),
            Self::Resources(list) => hub.set_resources(now, list),
            Self::ResourceTemplates(list) => hub.set_resource_templates(now, list),
            Self::Prompts(list) => hub.set_prompts(now, list),
            Self::ResourceUpdated { uri } => {
                hub.resource_updated(now, &uri);
                Ok(())
            }
        };
        match result {
            Ok(()) | Err(Misuse::UnknownAsk) => {}
            Err(misuse) => tracing::error!(%misuse, "the service said something that cannot be passed on"),
        }
    }
}

/// Where commands go.
#[derive(Clone)]
pub(crate) enum Port {
    /// Into a queue, which is bounded.
    Queue(mpsc::Sender<Command>),
    /// To their effect, at once.
    #[cfg(feature = "http-server")]
    Direct(Arc<dyn Fn(Command) + Send + Sync>),
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Port")
    }
}

impl Port {
    async fn send(&self, command: Command) {
        match self {
            // A session that is over wants nothing.
            Self::Queue(queue) => drop(queue.send(command).await),
            #[cfg(feature = "http-server")]
            Self::Direct(apply) => {
                apply(command);
                // A service that says things without end must not keep a thread to itself.
                tokio::task::coop::consume_budget().await;
            }
        }
    }
}

/// The way from a request that is being served to its client.
#[derive(Clone, Debug)]
pub struct Link {
    call: ServedCall,
    port: Port,
}

impl Link {
    pub(crate) const fn new(call: ServedCall, port: Port) -> Self {
        Self { call, port }
    }

    /// Reports what is done, what there is to do, and what is being done. Nothing is sent where the client did
    /// not ask for reports, or where the first number does not go up.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let message = message.map(str::to_owned);
        self.port.send(Command::Progress { call: self.call, progress, total, message }).await;
    }

    /// Sends a log message, where the client wants those of this level; `data` is any value.
    pub async fn log(&self, level: LogLevel, logger: Option<&str>, data: RawJson) {
        let logger = logger.map(str::to_owned);
        self.port.send(Command::Log { call: Some(self.call), level, logger, data }).await;
    }

    /// Closes the connection on which the client waits, for it to come back for the answer: long work then
    /// holds no connection (2025-11-25 over HTTP; elsewhere nothing happens).
    pub async fn close_stream(&self) {
        self.port.send(Command::CloseStream { call: self.call }).await;
    }

    /// Returns the way to all clients.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle { port: self.port.clone() }
    }
}

/// The way from a service to all its clients. What is offered is told to those that want to know whenever it
/// changes, where the service's configuration says that it may.
#[derive(Clone, Debug)]
pub struct Handle {
    port: Port,
}

impl Handle {
    pub(crate) const fn new(port: Port) -> Self {
        Self { port }
    }

    /// Replaces the tools.
    pub async fn set_tools(&self, tools: Vec<RawJson>) {
        self.port.send(Command::Tools(tools)).await;
    }

    /// Replaces the resources.
    pub async fn set_resources(&self, resources: Vec<RawJson>) {
        self.port.send(Command::Resources(resources)).await;
    }

    /// Replaces the templates of resources.
    pub async fn set_resource_templates(&self, templates: Vec<RawJson>) {
        self.port.send(Command::ResourceTemplates(templates)).await;
    }

    /// Replaces the prompts.
    pub async fn set_prompts(&self, prompts: Vec<RawJson>) {
        self.port.send(Command::Prompts(prompts)).await;
    }

    /// Tells the clients that watch a resource that it has changed.
    pub async fn resource_updated(&self, uri: &str) {
        self.port.send(Command::ResourceUpdated { uri: uri.to_owned() }).await;
    }

    /// Sends a log message that belongs to no request to the sessions that want those of this level.
    pub async fn log(&self, level: LogLevel, logger: Option<&str>, data: RawJson) {
        let logger = logger.map(str::to_owned);
        self.port.send(Command::Log { call: None, level, logger, data }).await;
    }
}
