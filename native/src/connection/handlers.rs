//! Who answers what a server asks.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use selvedge_core::{
    client::{Offered, Offers},
    json::RawJson,
    jsonrpc::RpcError,
    policy::{SamplingPolicy, SamplingSummary, SamplingVerdict},
};

/// The code of a request that was refused by or for the user.
const REFUSED: i64 = -1;

type Answering = Pin<Box<dyn Future<Output = Result<RawJson, RpcError>> + Send>>;

/// Who answers what a server asks. What is answered is declared to the server, and nothing else is: a handler
/// and its capability are one option.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Handlers {
    /// Answers `sampling/createMessage`; a [`ReviewedSampling`] makes one that keeps to a policy.
    pub sampling: Option<Handler>,
    /// Answers `elicitation/create`.
    pub elicitation: Option<Handler>,
    /// Answers `roots/list`.
    pub roots: Option<Handler>,
}

impl Handlers {
    /// Declares what is answered.
    pub(crate) fn declare(&self, offers: &mut Offers) {
        offers.sampling |= self.sampling.is_some();
        offers.elicitation |= self.elicitation.is_some();
        offers.roots |= self.roots.is_some();
    }

    pub(crate) const fn of(&self, what: Offered) -> Option<&Handler> {
        match what {
            Offered::Sampling => self.sampling.as_ref(),
            Offered::Elicitation => self.elicitation.as_ref(),
            Offered::Roots => self.roots.as_ref(),
        }
    }
}

/// Answers one kind of question: the parameters as they came in, the result, an object, or an error out.
///
/// It runs on a task of its own, which is aborted when the server takes its question back.
#[derive(Clone)]
pub struct Handler(Arc<dyn Fn(RawJson) -> Answering + Send + Sync>);

impl Handler {
    /// Makes a handler from a function.
    pub fn new<F, A>(answer: F) -> Self
    where
        F: Fn(RawJson) -> A + Send + Sync + 'static,
        A: Future<Output = Result<RawJson, RpcError>> + Send + 'static,
    {
        Self(Arc::new(move |params| Box::pin(answer(params))))
    }

    pub(crate) fn answer(&self, params: RawJson) -> impl Future<Output = Result<RawJson, RpcError>> + Send {
        (self.0)(params)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// What a reviewer decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// The model may see the request.
    Approve,
    /// It may not; the server is told this.
    Refuse(String),
}

type Reviewing = Pin<Box<dyn Future<Output = Review> + Send>>;

/// Sampling under a policy: what breaks its rules is refused, the rest is reviewed by its summary, and only what
/// was approved reaches the delegate that has a model.
#[derive(Clone)]
pub struct ReviewedSampling {
    policy: SamplingPolicy,
    reviewer: Arc<dyn Fn(SamplingSummary) -> Reviewing + Send + Sync>,
    delegate: Arc<dyn Fn(RawJson, SamplingSummary) -> Answering + Send + Sync>,
}

impl ReviewedSampling {
    /// Joins a policy, a reviewer, who sees nothing of the prompt, and a delegate, which sees the request.
    pub fn new<R, V, D, A>(policy: SamplingPolicy, reviewer: R, delegate: D) -> Self
    where
        R: Fn(SamplingSummary) -> V + Send + Sync + 'static,
        V: Future<Output = Review> + Send + 'static,
        D: Fn(RawJson, SamplingSummary) -> A + Send + Sync + 'static,
        A: Future<Output = Result<RawJson, RpcError>> + Send + 'static,
    {
        Self {
            policy,
            reviewer: Arc::new(move |summary| Box::pin(reviewer(summary))),
            delegate: Arc::new(move |params, summary| Box::pin(delegate(params, summary))),
        }
    }

    async fn answer(self, params: RawJson) -> Result<RawJson, RpcError> {
        let summary = match self.policy.check(params.view()) {
            SamplingVerdict::Refuse(error) => return Err(error),
            SamplingVerdict::Review(summary) => summary,
        };
        match (self.reviewer)(summary.clone()).await {
            Review::Approve => (self.delegate)(params, summary).await,
            Review::Refuse(why) => Err(RpcError::new(REFUSED, why)),
        }
    }
}

impl From<ReviewedSampling> for Handler {
    fn from(sampling: ReviewedSampling) -> Self {
        Self::new(move |params| sampling.clone().answer(params))
    }
}

impl fmt::Debug for ReviewedSampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewedSampling").field("policy", &self.policy).finish_non_exhaustive()
    }
}
