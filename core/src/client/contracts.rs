//! What the listed tools demand of arguments and promise of results, as far as calls are checked against it.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use super::{CallError, Checks, Client, Event};
use crate::{
    Misuse,
    json::{Expected, Kind, RawJson, Tape},
    map::BTreeMap,
    protocol::{CallToolResult, Revision, Tool},
    validate::{Mismatch, Outcome, Skipped, Validator},
};

/// What a kept tool counts for beside its name and its schemas.
const TOOL_BYTES: usize = 1_024;

/// What of a tool's calls is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The tool.
    pub tool: String,
    /// Which side of its calls.
    pub side: Side,
    /// The parts of the schema that are passed over, and why; an empty pointer means the whole schema.
    pub reasons: Vec<Skipped>,
}

/// The two sides of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What the application sends.
    Arguments,
    /// What the tool answers.
    Result,
}

/// A result that is not what its tool promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadResult {
    /// Where the structured content differs.
    pub mismatch: Mismatch,
    /// The result all the same.
    pub result: CallToolResult,
}

/// The tools of the newest whole listing, by name.
#[derive(Debug, Default)]
pub(super) struct Contracts {
    tools: BTreeMap<String, Contract>,
    /// The listing had more than may be kept.
    overflowed: Option<usize>,
    /// How often the server has said that its tools changed.
    edition: u64,
}

#[derive(Debug)]
struct Contract {
    input: Clause,
    output: Clause,
}

/// What a tool's schema says of one side of a call.
#[derive(Debug)]
enum Clause {
    /// Nothing.
    Open,
    /// As it came: a schema is compiled when it is first needed.
    Read(RawJson),
    Compiled(Arc<Demand>),
}

/// What a tool promises of its results.
pub(super) type Promise = Arc<Demand>;

/// A compiled schema and what it is for.
#[derive(Debug)]
pub(super) struct Demand {
    tool: String,
    side: Side,
    validator: Validator,
}

/// A promise that was not kept.
pub(super) struct Broken(Box<BadResult>);

impl From<Broken> for CallError {
    fn from(Broken(bad): Broken) -> Self {
        Self::BadResult(bad)
    }
}

impl Demand {
    fn unchecked(&self, reasons: Vec<Skipped>) -> Unchecked {
        Unchecked { tool: self.tool.clone(), side: self.side, reasons }
    }
}

impl Contract {
    fn of(tool: &Tool, checks: Checks) -> Self {
        let clause = |schema: Option<&RawJson>, is_wanted: bool| match schema {
            Some(schema) if is_wanted && !matches!(schema.as_str(), "null" | "true" | "{}") => {
                Clause::Read(schema.clone())
            }
            _ => Clause::Open,
        };
        Self {
            input: clause(Some(&tool.input_schema), checks.arguments),
            output: clause(tool.output_schema.as_ref(), checks.results),
        }
    }

    fn bytes(&self) -> usize {
        let bytes = |clause: &Clause| match clause {
            Clause::Read(schema) => schema.as_str().len(),
            _ => 0,
        };
        bytes(&self.input) + bytes(&self.output)
    }
}

impl Contracts {
    /// Takes a whole listing in the place of the one before.
    fn learn(&mut self, tools: &[Tool], checks: Checks, max_bytes: usize) {
        self.tools.clear();
        self.overflowed = None;
        let mut room = max_bytes;
        for tool in tools {
            let contract = Contract::of(tool, checks);
            if self.tools.contains_key(&tool.name) {
                // Nothing tells which of two tools of one name a call reaches.
                self.tools.insert(tool.name.clone(), Contract { input: Clause::Open, output: Clause::Open });
                continue;
            }
            let Some(rest) = room.checked_sub(TOOL_BYTES + tool.name.len() + contract.bytes()) else {
                self.overflowed = Some(max_bytes);
                continue;
            };
            room = rest;
            self.tools.insert(tool.name.clone(), contract);
        }
    }

    /// The server's tools have changed: what it said of them may refuse good calls.
    pub(super) fn forget(&mut self) {
        self.edition += 1;
        self.tools.clear();
        self.overflowed = None;
    }

    pub(super) const fn edition(&self) -> u64 {
        self.edition
    }

    /// Returns what a tool demands on one side of a call, and what of it is not checked where that is news.
    fn get(&mut self, tool: &str, side: Side) -> (Option<Arc<Demand>>, Option<Unchecked>) {
        let Some(contract) = self.tools.get_mut(tool) else {
            let news = self.overflowed.filter(|_| side == Side::Arguments).map(|limit| Unchecked {
                tool: tool.into(),
                side,
                reasons: [whole(alloc::format!("the schemas of all tools exceed {limit} bytes"))].into(),
            });
            return (None, news);
        };
        let clause = match side {
            Side::Arguments => &mut contract.input,
            Side::Result => &mut contract.output,
        };
        let schema = match clause {
            Clause::Open => return (None, None),
            Clause::Compiled(demand) => return (Some(demand.clone()), None),
            Clause::Read(schema) => schema,
        };
        let validator = Validator::new(schema.view());
        let skipped = validator.skipped().to_vec();
        let demand = Arc::new(Demand { tool: tool.into(), side, validator });
        *clause = Clause::Compiled(demand.clone());
        let news = (!skipped.is_empty()).then(|| demand.unchecked(skipped));
        (Some(demand), news)
    }
}

impl Client {
    /// Takes a whole listing of tools in the place of the one before.
    pub(super) fn learn(&mut self, tools: &[Tool]) {
        self.contracts.learn(tools, self.config.checks, self.config.limits.max_schema_bytes);
    }

    /// Checks the arguments of a call against what the tool demands, in the one pass that reads them.
    pub(super) fn check_arguments(&mut self, tool: &str, arguments: &str) -> Option<Result<(), Misuse>> {
        let demand = self.demand(tool, Side::Arguments)?;
        let tape = match Tape::parse(arguments) {
            Ok(tape) => tape,
            Err(error) if error.expected == Expected::Shallow => {
                let reason = "the arguments nest too deep to be checked".to_string();
                self.tell(Event::Unchecked(demand.unchecked([whole(reason)].into())));
                return None;
            }
            Err(error) => return Some(Err(Misuse::NotJson { what: "the arguments", error })),
        };
        if tape.root().kind() != Kind::Object {
            return Some(Err(Misuse::NotAnObject { what: "the arguments" }));
        }
        Some(match demand.validator.check_tape(&tape) {
            Outcome::Valid => Ok(()),
            Outcome::Invalid(mismatch) => Err(Misuse::BadArguments { tool: tool.into(), mismatch }),
            Outcome::GaveUp(reason) => {
                self.tell(Event::Unchecked(demand.unchecked([whole(reason.to_string())].into())));
                Ok(())
            }
        })
    }

    /// Returns what a tool promises of its results.
    pub(super) fn promise(&mut self, tool: &str) -> Option<Promise> {
        self.demand(tool, Side::Result)
    }

    fn demand(&mut self, tool: &str, side: Side) -> Option<Arc<Demand>> {
        let (demand, news) = self.contracts.get(tool, side);
        if let Some(news) = news {
            self.tell(Event::Unchecked(news));
        }
        demand
    }

    /// Checks a result against what its tool promised when it was called.
    pub(super) fn check_result(
        &mut self,
        promise: Option<&Promise>,
        result: CallToolResult,
    ) -> Result<CallToolResult, Broken> {
        let Some(promise) = promise else { return Ok(result) };
        let outcome = match result.structured_content() {
            Some(content) => promise.validator.check(content),
            None if self.knows_structured_content() => Outcome::Invalid(
                Mismatch {
                    pointer: String::new(),
                    expected: "`structuredContent`".into(),
                    found: "a result without it".into(),
                    hint: None,
                }
                .into(),
            ),
            None => Outcome::Valid,
        };
        match outcome {
            Outcome::Valid => Ok(result),
            Outcome::Invalid(mismatch) => Err(Broken(Box::new(BadResult { mismatch: *mismatch, result }))),
            Outcome::GaveUp(reason) => {
                self.tell(Event::Unchecked(promise.unchecked([whole(reason.to_string())].into())));
                Ok(result)
            }
        }
    }

    fn knows_structured_content(&self) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| handshake.revision >= Revision::V2025_06_18)
    }
}

/// Returns the reason why nothing at all is checked.
fn whole(reason: String) -> Skipped {
    Skipped { pointer: String::new(), keyword: String::new(), reason }
}
