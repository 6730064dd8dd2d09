//! Stands in for `contracts` in a build that leaves the checks out: nothing is learnt, nothing is demanded.

use super::{CallError, Client};
use crate::{
    Misuse,
    protocol::{CallToolResult, Tool},
};

/// What no tool is held to.
#[derive(Debug, Default)]
pub(super) struct Contracts {}

/// What no tool promises.
#[derive(Debug)]
pub(super) enum Promise {}

/// The promise that nothing breaks.
pub(super) enum Broken {}

impl From<Broken> for CallError {
    fn from(broken: Broken) -> Self {
        match broken {}
    }
}

impl Contracts {
    #[expect(clippy::unused_self, reason = "the checks that this stands in for count what they forget")]
    pub(super) const fn forget(&mut self) {}

    #[expect(clippy::unused_self, reason = "the checks that this stands in for count what they forget")]
    pub(super) const fn edition(&self) -> u64 {
        0
    }
}

impl Client {
    #[expect(clippy::unused_self, reason = "the checks that this stands in for learn")]
    pub(super) const fn learn(&mut self, _tools: &[Tool]) {}

    #[expect(clippy::unused_self, reason = "the checks that this stands in for remember")]
    pub(super) const fn check_arguments(
        &mut self,
        _tool: &str,
        _arguments: &str,
    ) -> Option<Result<(), Misuse>> {
        None
    }

    #[expect(clippy::unused_self, reason = "the checks that this stands in for remember")]
    pub(super) const fn promise(&mut self, _tool: &str) -> Option<Promise> {
        None
    }

    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the checks that this stands in for refuse"
    )]
    pub(super) fn check_result(
        &mut self,
        _promise: Option<&Promise>,
        result: CallToolResult,
    ) -> Result<CallToolResult, Broken> {
        Ok(result)
    }
}
