//! What a handler can do beside answering.

use std::{fmt, sync::Arc};

use schemars::JsonSchema;
use selvedge_core::{
    json::{RawJson, View},
    protocol::LogLevel,
    validate::{Outcome, Validator},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::watch;

use super::{BoxFuture, Elicited, InputRequest, InputRequired, Inputs, Root, definition::input_schema};

/// What a handler tells while it works.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// How far it is.
    Progress {
        /// What is done; it must grow.
        progress: f64,
        /// What there is to do.
        total: Option<f64>,
        /// What is being done.
        message: Option<String>,
    },
    /// A message for a log.
    Log {
        /// How much it matters.
        level: LogLevel,
        /// What part of the server it comes from.
        logger: Option<String>,
        /// The message.
        data: Value,
    },
}

/// Whoever hears what a handler tells.
pub trait Listener: Send + Sync {
    /// Takes a notice; where there is no room, the handler waits here.
    fn notice(&self, notice: Notice) -> BoxFuture<'_, ()>;
}

/// One call, as its handler sees it. Clones are the same call.
#[derive(Clone)]
pub struct Context {
    call: Arc<Call>,
}

struct Call {
    request_id: String,
    inputs: Inputs,
    listener: Option<Arc<dyn Listener>>,
    cancelled: Option<watch::Receiver<bool>>,
}

impl Context {
    /// Makes the context of a call that nobody listens to and nobody cancels.
    #[must_use]
    pub fn new(request_id: impl Into<String>, inputs: Inputs) -> Self {
        let call = Call { request_id: request_id.into(), inputs, listener: None, cancelled: None };
        Self { call: Arc::new(call) }
    }

    /// Makes the context of a call whose client listens and may cancel.
    #[must_use]
    pub fn attached(
        request_id: impl Into<String>,
        inputs: Inputs,
        listener: Arc<dyn Listener>,
        cancelled: watch::Receiver<bool>,
    ) -> Self {
        let call = Call {
            request_id: request_id.into(),
            inputs,
            listener: Some(listener),
            cancelled: Some(cancelled),
        };
        Self { call: Arc::new(call) }
    }

    /// Makes the context of a call whose client listens; a call that is given up is dropped.
    pub(crate) fn heard(request_id: String, inputs: Inputs, listener: Arc<dyn Listener>) -> Self {
        let call = Call { request_id, inputs, listener: Some(listener), cancelled: None };
        Self { call: Arc::new(call) }
    }

    /// Returns the id of the request, as text; for logs.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.call.request_id
    }

    /// Returns whether the client gave the call up: nobody will read an answer.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.call.cancelled.as_ref().is_some_and(|cancelled| *cancelled.borrow())
    }

    /// Waits until the client gives the call up, perhaps forever.
    pub async fn cancelled(&self) {
        if let Some(mut cancelled) = self.call.cancelled.clone()
            && cancelled.wait_for(|is_cancelled| *is_cancelled).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Tells how far the call is; nothing is sent where the client did not ask for it.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.tell(Notice::Progress { progress, total, message: message.map(str::to_owned) }).await;
    }

    /// Tells a message for the client's log; nothing is sent below the level that the client asked for.
    pub async fn log(&self, level: LogLevel, data: impl Into<Value>) {
        self.tell(Notice::Log { level, logger: None, data: data.into() }).await;
    }

    async fn tell(&self, notice: Notice) {
        if let Some(listener) = &self.call.listener {
            listener.notice(notice).await;
        }
    }

    /// Returns what the handler gave along when it asked ([`InputRequired::with_state`]).
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.call.inputs.state.as_deref()
    }

    /// Asks the user to fill in a form; its schema is a flat object.
    ///
    /// # Errors
    ///
    /// There is no answer yet, or one that does not fit the schema.
    pub fn elicit(
        &self,
        key: &str,
        message: &str,
        schema: &Value,
    ) -> Result<Elicited<RawJson>, InputRequired> {
        let asked = || InputRequired::one(key, InputRequest::form(message, schema));
        let action = self.response::<Action>(key).ok_or_else(asked)?;
        action.read(|content| fits(content, schema).then(|| content.to_raw())).ok_or_else(asked)
    }

    /// Asks the user to fill in a form that has the members of a type.
    ///
    /// # Errors
    ///
    /// There is no answer yet, or one that is not of the type.
    pub fn elicit_as<T>(&self, key: &str, message: &str) -> Result<Elicited<T>, InputRequired>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let asked = || InputRequired::one(key, InputRequest::form(message, &input_schema::<T>()));
        let action = self.response::<Action>(key).ok_or_else(asked)?;
        action.read(|content| serde_json::from_str(content.as_str()).ok()).ok_or_else(asked)
    }

    /// Asks the user to open a URL. That they agree is no proof that they did.
    ///
    /// # Errors
    ///
    /// There is no answer yet.
    pub fn elicit_url(&self, key: &str, message: &str, url: &str) -> Result<Elicited<()>, InputRequired> {
        let asked = || InputRequired::one(key, InputRequest::url(message, url));
        let action = self.response::<Action>(key).ok_or_else(asked)?;
        match action.action {
            Verb::Accept => Ok(Elicited::Accepted(())),
            Verb::Decline => Ok(Elicited::Declined),
            Verb::Cancel => Ok(Elicited::Cancelled),
        }
    }

    /// Asks the client's model; the parameters are those of `sampling/createMessage`, and so is the answer.
    ///
    /// # Errors
    ///
    /// There is no answer yet.
    pub fn sample(&self, key: &str, params: Value) -> Result<RawJson, InputRequired> {
        let answer =
            self.call.inputs.responses.get(key).filter(|answer| answer.view().get("content").is_some());
        answer.cloned().ok_or_else(|| InputRequired::one(key, InputRequest::sampling(params)))
    }

    /// Asks what the client works on.
    ///
    /// # Errors
    ///
    /// There is no answer yet.
    pub fn roots(&self, key: &str) -> Result<Vec<Root>, InputRequired> {
        #[derive(Deserialize)]
        struct Roots {
            roots: Vec<Root>,
        }
        let answer = self.response::<Roots>(key).map(|answer| answer.roots);
        answer.ok_or_else(|| InputRequired::one(key, InputRequest::roots()))
    }

    /// Returns an answer; one that has not the shape that its request demands is none.
    fn response<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.call.inputs.responses.get(key)?.as_str()).ok()
    }
}

fn fits(content: View<'_>, schema: &Value) -> bool {
    let schema = schema.to_string();
    let Ok(schema) = View::new(&schema) else { return false };
    !matches!(Validator::new(schema).check(content), Outcome::Invalid(_))
}

#[derive(Deserialize)]
struct Action {
    action: Verb,
    content: Option<Box<serde_json::value::RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verb {
    Accept,
    Decline,
    Cancel,
}

impl Action {
    fn read<T>(&self, read: impl FnOnce(View<'_>) -> Option<T>) -> Option<Elicited<T>> {
        match self.action {
            Verb::Decline => Some(Elicited::Declined),
            Verb::Cancel => Some(Elicited::Cancelled),
            Verb::Accept => {
                let content = View::new(self.content.as_ref()?.get()).ok()?;
                read(content).map(Elicited::Accepted)
            }
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Answers may be a user's secrets.
        f.debug_struct("Context").field("request_id", &self.call.request_id).finish_non_exhaustive()
    }
}
