//! A provider that is made when one of its tools is first called.

use std::{fmt, future::Future, sync::Arc};

use selvedge_core::json::RawJson;
use tokio::sync::OnceCell;

use super::{BoxFuture, CallResult, Context, Definition, ToolError, ToolProvider};

type Activate = dyn Fn() -> BoxFuture<'static, Result<Arc<dyn ToolProvider>, ToolError>> + Send + Sync;

/// Tools that are known before what provides them is.
pub(super) struct Deferred {
    definitions: Vec<Definition>,
    activate: Box<Activate>,
    provider: OnceCell<Arc<dyn ToolProvider>>,
}

impl Deferred {
    pub(super) fn new<F, Fut>(definitions: Vec<Definition>, activate: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Arc<dyn ToolProvider>, ToolError>> + Send + 'static,
    {
        Self { definitions, activate: Box::new(move || Box::pin(activate())), provider: OnceCell::new() }
    }

    async fn forward(&self, name: &str, arguments: RawJson, context: Context) -> CallResult {
        // Calls that come meanwhile wait for the one activation; one that fails leaves the cell empty for the
        // next. The provider is taken out, so nothing is held across the call.
        match self.provider.get_or_try_init(|| (self.activate)()).await {
            Ok(provider) => provider.clone().call(name, arguments, context).await,
            Err(error) => error.into_result(),
        }
    }
}

impl ToolProvider for Deferred {
    fn list(&self) -> Vec<Definition> {
        self.definitions.clone()
    }

    fn call<'a>(&'a self, name: &'a str, arguments: RawJson, context: Context) -> BoxFuture<'a, CallResult> {
        Box::pin(self.forward(name, arguments, context))
    }
}

impl fmt::Debug for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deferred").field("definitions", &self.definitions).finish_non_exhaustive()
    }
}
