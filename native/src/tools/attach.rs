//! Joins tools to the engine: its contexts and answers in their words.

use std::{collections::BTreeMap, sync::Arc};

use selvedge_core::{
    client::Offered,
    json::RawJson,
    jsonrpc::{RpcError, code},
    server::{self, Answer, Input, Question},
};
use serde_json::Value;

use super::{BoxFuture, CallResult, Context, InputRequired, Inputs, Listener, Notice, Outcome, ToolError};
use crate::serve::Link;

impl Listener for Link {
    fn notice(&self, notice: Notice) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match notice {
                Notice::Progress { progress, total, message } => {
                    self.progress(progress, total, message.as_deref()).await;
                }
                Notice::Log { level, logger, data } => {
                    // A value is always valid JSON.
                    let Ok(data) = RawJson::new(data.to_string()) else { return };
                    self.log(level, logger.as_deref(), data).await;
                }
            }
        })
    }
}

impl Context {
    /// Makes the context of a request that the engine hands over.
    pub(crate) fn of(context: &server::Context, link: Link) -> Self {
        let answers = context.answers.iter().flat_map(|answers| answers.view().members());
        let responses: BTreeMap<_, _> =
            answers.map(|(key, answer)| (key.to_text(), answer.to_raw())).collect();
        let inputs = Inputs { responses, state: context.state.clone() };
        Self::heard(context.id.clone(), inputs, Arc::new(link))
    }
}

impl From<InputRequired> for Input {
    fn from(required: InputRequired) -> Self {
        let questions = required.requests().filter_map(|(key, request)| {
            let what = Offered::of(request.method)?;
            let params = RawJson::new(request.params.to_string()).ok()?;
            Some(Question { key: key.to_owned(), what, params })
        });
        Self { questions: questions.collect(), state: required.state().map(str::to_owned) }
    }
}

/// Returns the answer that a call of a tool leads to.
pub(crate) fn outcome_answer(result: CallResult) -> Answer {
    match result {
        Ok(Outcome::Done(output)) => match output.to_raw() {
            Ok(result) => Answer::Result(result),
            Err(error) => error.into_answer(),
        },
        Ok(Outcome::InputRequired(required)) => Answer::Input(required.into()),
        Err(error) => Answer::Failed(error.into_rpc()),
    }
}

/// Returns the answer that a value is.
pub(crate) fn answer_of(result: &Value) -> Answer {
    match RawJson::new(result.to_string()) {
        Ok(result) => Answer::Result(result),
        Err(error) => Answer::Failed(RpcError::new(code::INTERNAL_ERROR, error.to_string())),
    }
}

impl ToolError {
    /// Returns the answer to a request that is no call of a tool.
    pub(crate) fn into_answer(self) -> Answer {
        match self.into_result() {
            Ok(Outcome::Done(output)) => {
                Answer::Failed(RpcError::new(code::INTERNAL_ERROR, output.to_text()))
            }
            Ok(Outcome::InputRequired(required)) => Answer::Input(required.into()),
            Err(error) => Answer::Failed(error.into_rpc()),
        }
    }
}
