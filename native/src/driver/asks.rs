//! The questions of a server that handlers work on.

use std::{collections::HashMap, future::pending};

use selvedge_core::{
    client::{AskId, Offered},
    json::RawJson,
    jsonrpc::{RpcError, code},
};
use tokio::task::{AbortHandle, Id, JoinSet};

use crate::connection::Handlers;

/// What a handler answered.
pub(super) struct Answered {
    pub(super) ask: AskId,
    pub(super) answer: Result<RawJson, RpcError>,
}

/// The handlers, and the tasks on which they work. There are never more than the client lets a server ask.
pub(super) struct Asks {
    handlers: Handlers,
    tasks: JoinSet<Result<RawJson, RpcError>>,
    working: HashMap<Id, (AskId, AbortHandle)>,
}

impl Asks {
    pub(super) fn new(handlers: Handlers) -> Self {
        Self { handlers, tasks: JoinSet::new(), working: HashMap::new() }
    }

    /// Has a question answered, where there is a handler for it.
    pub(super) fn ask(&mut self, ask: AskId, what: Offered, params: RawJson) {
        let Some(handler) = self.handlers.of(what) else { return };
        let handler = handler.clone();
        // The handler is called within its task, so that it may panic without harm.
        let task = self.tasks.spawn(async move { handler.answer(params).await });
        self.working.insert(task.id(), (ask, task));
    }

    /// Ends the work on a question that nobody wants answered any more.
    pub(super) fn withdraw(&mut self, withdrawn: &AskId) {
        self.working.retain(|_, (ask, task)| {
            if ask == withdrawn {
                task.abort();
            }
            ask != withdrawn
        });
    }

    /// Waits for the next answer.
    pub(super) async fn next(&mut self) -> Answered {
        loop {
            let Some(joined) = self.tasks.join_next_with_id().await else { return pending().await };
            let (id, answer) = match joined {
                Ok((id, answer)) => (id, answer),
                Err(error) => (
                    error.id(),
                    Err(RpcError::new(code::INTERNAL_ERROR, "the question could not be answered")),
                ),
            };
            if let Some((ask, _)) = self.working.remove(&id) {
                return Answered { ask, answer };
            }
        }
    }
}
