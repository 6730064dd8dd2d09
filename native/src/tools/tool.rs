//! One tool: what a client sees of it, and the function behind it.

use std::{borrow::Cow, fmt, future::Future, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use selvedge_core::json::RawJson;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BoxFuture, CallError, CallResult, Context, Definition, DefinitionError, IntoOutput, Outcome, ToolError,
    definition::{Draft, input_schema},
};

type Handler = dyn Fn(RawJson, Context) -> BoxFuture<'static, CallResult> + Send + Sync;

/// A tool. Clones share its handler.
#[derive(Clone)]
pub struct Tool {
    definition: Result<Definition, DefinitionError>,
    handler: Arc<Handler>,
}

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

impl JsonSchema for NoArguments {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NoArguments")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "properties": {}, "additionalProperties": false })
    }
}

impl Tool {
    /// Starts a tool: without arguments, additive, in a closed world.
    #[expect(clippy::new_ret_no_self, reason = "a tool begins as what is known of it")]
    pub fn new(name: impl Into<String>) -> ToolBuilder {
        ToolBuilder { draft: Draft { name: name.into(), ..Draft::default() } }
    }

    /// Returns what a client sees.
    ///
    /// # Errors
    ///
    /// The tool cannot be offered.
    pub fn definition(&self) -> Result<&Definition, DefinitionError> {
        self.definition.as_ref().map_err(Clone::clone)
    }

    /// Calls the tool; the arguments are an object.
    ///
    /// # Errors
    ///
    /// The arguments are not those of the tool, or the tool answers with an error of the protocol.
    ///
    /// # Panics
    ///
    /// A handler that panics panics here, when the future is polled; the tool can be called again.
    pub async fn call(&self, arguments: RawJson, context: Context) -> CallResult {
        (self.handler)(arguments, context).await
    }
}

/// What is known of a tool so far.
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolBuilder {
    draft: Draft,
}

impl ToolBuilder {
    /// Says what people call the tool.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.draft.title = Some(title.into());
        self
    }

    /// Says what the tool does, for a model that chooses.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.draft.description = Some(description.into());
        self
    }

    /// Takes the schema of the arguments from a type.
    pub fn input<T: JsonSchema>(self) -> Self {
        self.input_schema(input_schema::<T>())
    }

    /// Sets the schema of the arguments; [`handler`](Self::handler) then keeps it.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.draft.input = Some(schema);
        self
    }

    /// Sets the schema of the structured content; [`handler`](Self::handler) then keeps it.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.draft.output = Some(schema);
        self
    }

    /// Says that the tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.draft.is_read_only = true;
        self
    }

    /// Says that the tool may overwrite or remove; a server refuses it unless it was told to allow such.
    pub fn destructive(mut self) -> Self {
        self.draft.is_destructive = true;
        self
    }

    /// Says that calling twice does no more than calling once.
    pub fn idempotent(mut self) -> Self {
        self.draft.is_idempotent = true;
        self
    }

    /// Says that the tool meets a world that nobody knows whole, such as the web.
    pub fn open_world(mut self) -> Self {
        self.draft.is_open_world = true;
        self
    }

    /// Says that the tool serves what others wrote, such as files: credentials in its text are hidden
    /// ([`redact`](selvedge_core::policy::redact)), also where it fails. Structured content stays as it is.
    pub fn serves_content(mut self) -> Self {
        self.draft.serves_content = true;
        self
    }

    /// Sets `_meta` of the definition.
    pub fn meta(mut self, meta: Value) -> Self {
        self.draft.meta = Some(meta);
        self
    }

    /// Returns the definition alone, for a provider that is made later.
    ///
    /// # Errors
    ///
    /// The tool cannot be offered.
    pub fn definition(self) -> Result<Definition, DefinitionError> {
        self.draft.finish()
    }

    /// Makes the tool from its function; arguments and result name their own schemas.
    #[must_use]
    pub fn handler<T, R, F, Fut>(mut self, handler: F) -> Tool
    where
        T: DeserializeOwned + JsonSchema,
        R: IntoOutput,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    {
        self.draft.input.get_or_insert_with(input_schema::<T>);
        self.draft.output = self.draft.output.or_else(R::output_schema);
        let serves_content = self.draft.serves_content;
        let call = move |arguments: RawJson, context: Context| {
            let future =
                serde_json::from_str(arguments.as_str()).map(|arguments| handler(arguments, context));
            Box::pin(async move {
                let future = future.map_err(|error| CallError::InvalidArguments(error.to_string()))?;
                let mut result = match future.await.and_then(IntoOutput::into_output) {
                    Ok(output) => Ok(Outcome::Done(output)),
                    Err(error) => error.into_result(),
                };
                if let Ok(Outcome::Done(output)) = &mut result
                    && serves_content
                {
                    output.redact();
                }
                result
            }) as BoxFuture<'static, CallResult>
        };
        Tool { definition: self.draft.finish(), handler: Arc::new(call) }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("definition", &self.definition).finish_non_exhaustive()
    }
}
