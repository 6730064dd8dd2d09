//! Tools gathered under one list of unique names.

use std::{collections::BTreeMap, fmt, future::Future, sync::Arc};

use selvedge_core::json::RawJson;

use super::{
    BoxFuture, CallError, CallResult, Context, Definition, DefinitionError, Tool, ToolError,
    deferred::Deferred,
};

/// Whoever offers tools.
pub trait ToolProvider: Send + Sync {
    /// Returns the tools, in the order in which clients see them, which is always the same.
    fn list(&self) -> Vec<Definition>;

    /// Calls one of the tools; the arguments are an object. A call that is cancelled is dropped.
    fn call<'a>(&'a self, name: &'a str, arguments: RawJson, context: Context) -> BoxFuture<'a, CallResult>;
}

/// A value whose methods are tools; the attribute `tools` implements it.
pub trait ToolSource {
    /// Returns the tools, which share the value.
    fn into_tools(self: Arc<Self>) -> Vec<Tool>;
}

/// Tools, providers and deferred providers as one.
#[derive(Clone, Default)]
pub struct Toolset {
    list: Vec<Definition>,
    routes: BTreeMap<String, Route>,
}

#[derive(Clone)]
enum Route {
    Tool(Tool),
    Provider(Arc<dyn ToolProvider>),
}

impl Toolset {
    /// Makes a set without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a set of the tools that a value has.
    ///
    /// # Errors
    ///
    /// One of them cannot be offered.
    pub fn of(source: impl ToolSource) -> Result<Self, DefinitionError> {
        let mut set = Self::new();
        for tool in Arc::new(source).into_tools() {
            set.add(tool)?;
        }
        Ok(set)
    }

    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// It cannot be offered, or its name is taken.
    pub fn add(&mut self, tool: Tool) -> Result<(), DefinitionError> {
        let definition = tool.definition()?.clone();
        self.insert(definition, Route::Tool(tool))
    }

    /// Adds all tools that a provider lists at this moment.
    ///
    /// # Errors
    ///
    /// One of the names is taken; nothing is added then.
    pub fn add_provider(&mut self, provider: &Arc<dyn ToolProvider>) -> Result<(), DefinitionError> {
        let mut grown = self.clone();
        for definition in provider.list() {
            grown.insert(definition, Route::Provider(provider.clone()))?;
        }
        *self = grown;
        Ok(())
    }

    /// Adds tools whose provider is made when one of them is first called.
    ///
    /// It is made once, however many calls come meanwhile, and no lock is held while a tool runs. Where making
    /// it fails, the call that wanted it has failed, and the next one tries again.
    ///
    /// # Errors
    ///
    /// One of the names is taken; nothing is added then.
    pub fn add_deferred<F, Fut>(
        &mut self,
        definitions: Vec<Definition>,
        activate: F,
    ) -> Result<(), DefinitionError>
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Arc<dyn ToolProvider>, ToolError>> + Send + 'static,
    {
        let provider: Arc<dyn ToolProvider> = Arc::new(Deferred::new(definitions, activate));
        self.add_provider(&provider)
    }

    /// Returns the definition of a tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.list.iter().find(|definition| definition.name() == name)
    }

    fn insert(&mut self, definition: Definition, route: Route) -> Result<(), DefinitionError> {
        let name = definition.name();
        if self.routes.contains_key(name) {
            return Err(DefinitionError::Duplicate(name.to_owned()));
        }
        self.routes.insert(name.to_owned(), route);
        self.list.push(definition);
        Ok(())
    }
}

impl ToolProvider for Toolset {
    fn list(&self) -> Vec<Definition> {
        self.list.clone()
    }

    fn call<'a>(&'a self, name: &'a str, arguments: RawJson, context: Context) -> BoxFuture<'a, CallResult> {
        match self.routes.get(name) {
            Some(Route::Tool(tool)) => Box::pin(tool.call(arguments, context)),
            Some(Route::Provider(provider)) => provider.call(name, arguments, context),
            None => Box::pin(std::future::ready(Err(CallError::UnknownTool(name.to_owned())))),
        }
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolset").field("list", &self.list).finish_non_exhaustive()
    }
}
