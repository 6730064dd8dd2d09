//! A service made of parts: tools, resources and prompts.

use std::{fmt, sync::Arc};

use selvedge_core::{
    ServerConfig,
    json::RawJson,
    protocol::Implementation,
    server::{Answer, Context, Request},
};

use super::{Handle, Link, Service};
use crate::tools::{self, BoxFuture, ToolError, ToolProvider, Toolset};

/// Whoever has resources.
pub trait ResourceProvider: Send + Sync {
    /// Returns the resources, each as the object that `resources/list` shows.
    fn list(&self) -> Vec<RawJson>;

    /// Returns the templates, each as the object that `resources/templates/list` shows.
    fn templates(&self) -> Vec<RawJson> {
        Vec::new()
    }

    /// Reads a resource: the result of `resources/read`, or nothing where it is none of these.
    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: tools::Context,
    ) -> BoxFuture<'a, Result<Option<RawJson>, ToolError>>;
}

/// Whoever has prompts.
pub trait PromptProvider: Send + Sync {
    /// Returns the prompts, each as the object that `prompts/list` shows.
    fn list(&self) -> Vec<RawJson>;

    /// Gets one of them: the result of `prompts/get`, or nothing where it is none of these. The arguments hold
    /// what the prompt requires.
    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a RawJson,
        context: tools::Context,
    ) -> BoxFuture<'a, Result<Option<RawJson>, ToolError>>;
}

/// Whoever completes arguments of prompts and templates.
pub trait Completer: Send + Sync {
    /// Returns the values that an argument may have, best first; `reference` is the `ref` object and `chosen` the
    /// `context` object, where the client gave one.
    fn complete<'a>(
        &'a self,
        reference: &'a RawJson,
        argument: &'a RawJson,
        chosen: Option<&'a RawJson>,
    ) -> BoxFuture<'a, Vec<String>>;
}

/// The most values that one completion may have (spec `server/utilities/completion`).
const MAX_COMPLETIONS: usize = 100;

/// Hears whether a resource is watched.
type Watcher = Arc<dyn Fn(&str, bool) + Send + Sync>;

/// A service made of parts.
#[derive(Clone, Default)]
pub struct App {
    config: ServerConfig,
    tools: Toolset,
    resources: Vec<Arc<dyn ResourceProvider>>,
    prompts: Vec<Arc<dyn PromptProvider>>,
    completer: Option<Arc<dyn Completer>>,
    started: Option<Arc<dyn Fn(Handle) + Send + Sync>>,
    watched: Option<Watcher>,
}

impl App {
    /// Makes a service that offers nothing yet.
    #[must_use]
    pub fn new(implementation: Implementation) -> Self {
        let mut app = Self::default();
        app.config.implementation = implementation;
        app
    }

    /// Returns how it is served: what the parts offer is added when serving begins.
    pub const fn config(&mut self) -> &mut ServerConfig {
        &mut self.config
    }

    /// Offers these tools; they replace those that were offered before.
    #[must_use]
    pub fn with_tools(mut self, tools: Toolset) -> Self {
        self.tools = tools;
        self
    }

    /// Offers these resources besides the others; of two that have one URI the first is read.
    #[must_use]
    pub fn with_resources(mut self, provider: Arc<dyn ResourceProvider>) -> Self {
        self.config.has_resources = true;
        self.resources.push(provider);
        self
    }

    /// Offers these prompts besides the others; of two that have one name the first is got.
    #[must_use]
    pub fn with_prompts(mut self, provider: Arc<dyn PromptProvider>) -> Self {
        self.config.has_prompts = true;
        self.prompts.push(provider);
        self
    }

    /// Completes arguments.
    #[must_use]
    pub fn with_completer(mut self, completer: Arc<dyn Completer>) -> Self {
        self.config.completes = true;
        self.completer = Some(completer);
        self
    }

    /// Calls this when serving begins.
    #[must_use]
    pub fn on_start(mut self, started: impl Fn(Handle) + Send + Sync + 'static) -> Self {
        self.started = Some(Arc::new(started));
        self
    }

    /// Calls this when the first client wants to know of a resource's changes, and when the last one has gone.
    #[must_use]
    pub fn on_watch(mut self, watched: impl Fn(&str, bool) + Send + Sync + 'static) -> Self {
        self.config.watches = true;
        self.watched = Some(Arc::new(watched));
        self
    }

    async fn read(&self, uri: &str, context: tools::Context) -> Answer {
        for provider in &self.resources {
            match provider.read(uri, context.clone()).await {
                Ok(Some(result)) => return Answer::Result(result),
                Ok(None) => {}
                Err(error) => return error.into_answer(),
            }
        }
        Answer::NotFound
    }

    async fn get(&self, name: &str, arguments: &RawJson, context: tools::Context) -> Answer {
        for provider in &self.prompts {
            match provider.get(name, arguments, context.clone()).await {
                Ok(Some(result)) => return Answer::Result(result),
                Ok(None) => {}
                Err(error) => return error.into_answer(),
            }
        }
        Answer::NotFound
    }

    async fn complete(&self, reference: &RawJson, argument: &RawJson, chosen: Option<&RawJson>) -> Answer {
        let Some(completer) = &self.completer else { return Answer::NotFound };
        let values = completer.complete(reference, argument, chosen).await;
        let shown = values.get(..MAX_COMPLETIONS).unwrap_or(&values);
        let completion = serde_json::json!({ "completion": {
            "values": shown, "total": values.len(), "hasMore": shown.len() < values.len(),
        } });
        tools::answer_of(&completion)
    }
}

impl Service for App {
    fn config(&self) -> ServerConfig {
        let mut config = self.config.clone();
        config.tools.extend(self.tools.list().iter().map(|tool| tool.raw().clone()));
        for provider in &self.resources {
            config.resources.extend(provider.list());
            config.resource_templates.extend(provider.templates());
        }
        config.prompts.extend(self.prompts.iter().flat_map(|provider| provider.list()));
        config
    }

    async fn serve(&self, request: Request, context: Context, link: Link) -> Answer {
        let context = || tools::Context::of(&context, link);
        match request {
            Request::CallTool { name, arguments } => {
                let arguments = Arc::unwrap_or_clone(arguments);
                tools::outcome_answer(self.tools.call(&name, arguments, context()).await)
            }
            Request::ReadResource { uri } => self.read(&uri, context()).await,
            Request::GetPrompt { name, arguments } => self.get(&name, &arguments, context()).await,
            Request::Complete { reference, argument, context } => {
                self.complete(&reference, &argument, context.as_deref()).await
            }
        }
    }

    fn started(&self, handle: Handle) {
        if let Some(started) = &self.started {
            started(handle);
        }
    }

    fn watched(&self, uri: &str, is_watched: bool) {
        if let Some(watched) = &self.watched {
            watched(uri, is_watched);
        }
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("tools", &self.tools).finish_non_exhaustive()
    }
}
