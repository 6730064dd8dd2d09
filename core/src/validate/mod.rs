//! Checks a value against a JSON Schema, within bounds: arguments before a call, structured results after.
//!
//! A schema is compiled once by [`Validator::new`], which never fails: what it cannot use is listed by
//! [`Validator::skipped`] and judges nothing. [`Validator::check`] says [`Outcome::Invalid`] only where the
//! value is surely wrong; a part that was skipped leaves the answer open, also under `not` and `oneOf`.
//!
//! Draft-07 and earlier are read as draft-07, everything else as 2019-09 or 2020-12, which is also the
//! reading of a schema without `$schema`. References lead to places of the same schema and are never
//! fetched. `format` and the `content…` keywords are annotations. `nullable` is honoured. Numbers are
//! compared by their digits, and `3.0` is an integer. Patterns run in linear time; look-around, back
//! references and Unicode properties are skipped.
//!
//! ```
//! use selvedge_core::{json::View, validate::{Outcome, Validator}};
//!
//! let schema = r#"{"properties":{"organizationSlug":{"type":"string"}},"required":["organizationSlug"]}"#;
//! let validator = Validator::new(View::new(schema)?);
//! let Outcome::Invalid(mismatch) = validator.check(View::new(r#"{"organization_slug":"a"}"#)?) else {
//!     panic!("the property is missing");
//! };
//! assert_eq!(
//!     mismatch.to_string(),
//!     "expected property `organizationSlug`, found an object without it; \
//!      `organization_slug` is unknown: did you mean `organizationSlug`?"
//! );
//! # Ok::<(), selvedge_core::json::SyntaxError>(())
//! ```

mod array;
mod canon;
mod check;
mod combine;
mod compile;
mod explain;
mod failure;
mod hint;
mod keywords;
mod object;
mod pattern;
mod refs;
mod schema;
mod uri;

use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::fmt;

use check::{Checker, Spot, Verdict};
pub use hint::distance;
use schema::{Rule, Schema};

pub(crate) use hint::nearest;

use crate::json::{MAX_DEPTH, Shown, Tape, Value, View, name_twice};

/// The steps that a check may take by default, beside those that the value's size grants.
pub const MAX_STEPS: u64 = 1_000_000;

/// The steps that every value inside the checked one grants.
const STEPS_PER_VALUE: u64 = 16;

/// The steps that every byte of the checked value grants.
const STEPS_PER_BYTE: u64 = 2;

/// The most schemas that may be at work inside each other.
const MAX_LEVELS: usize = 512;

/// The most entries that [`Validator::skipped`] lists.
const MAX_SKIPPED: usize = 64;

/// A compiled schema.
#[derive(Debug)]
pub struct Validator {
    schemas: Vec<Schema>,
    skipped: Vec<Skipped>,
    max_steps: u64,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Nothing that was checked speaks against the value.
    Valid,
    /// The value is wrong here, and possibly elsewhere.
    Invalid(Box<Mismatch>),
    /// The check ended without an answer.
    GaveUp(GaveUp),
}

/// Why a check ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GaveUp {
    /// The steps did not suffice.
    #[error("the check takes too many steps")]
    Steps,
    /// The value, or what the schema demands of one value, nests too deep.
    #[error("the value exceeds {MAX_DEPTH} levels or the schema {MAX_LEVELS}")]
    Depth,
}

/// Where a value differs from its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The JSON pointer to the value; empty for the outermost.
    pub pointer: String,
    /// What the schema expects there.
    pub expected: String,
    /// What came.
    pub found: String,
    /// A likely way to put it right, in one line.
    pub hint: Option<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "at {}: ", Shown(&self.pointer))?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl core::error::Error for Mismatch {}

/// A part of a schema that is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The JSON pointer to the schema object, cut where it is very long.
    pub pointer: String,
    /// The keyword in it; empty where the whole is meant.
    pub keyword: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}: {}", Shown(&self.pointer), self.keyword, self.reason)
    }
}

impl Validator {
    /// Compiles a schema, in time linear in its text.
    ///
    /// Whatever it cannot use is listed by [`skipped`](Self::skipped) and stands in the way of no value.
    #[must_use]
    pub fn new(schema: View<'_>) -> Self {
        let compiled = Tape::parse(schema.as_str()).map_or_else(|_| unread(), |tape| compile::compile(&tape));
        Self { schemas: compiled.schemas, skipped: compiled.skipped, max_steps: MAX_STEPS }
    }

    /// Compiles a schema that was read into a tree.
    #[must_use]
    pub fn from_value(schema: &Value) -> Self {
        let mut text = String::new();
        schema.push_to(&mut text);
        Self::new(View::trusted(&text))
    }

    /// Bounds the steps of a check: about one for every schema at every value.
    ///
    /// The default is [`MAX_STEPS`]; 16 more are granted for each value in the checked one and 2 for each
    /// byte, so that the bound holds schemas down and not large values.
    #[must_use]
    pub const fn with_max_steps(mut self, max_steps: u64) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// Returns what is not checked, up to 64 entries.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Checks a value.
    pub fn check(&self, value: View<'_>) -> Outcome {
        // The text of a view is valid, so only its depth and length are left to fail on.
        match Tape::parse(value.as_str()) {
            Ok(tape) => self.check_tape(&tape),
            Err(_) => Outcome::GaveUp(GaveUp::Depth),
        }
    }

    /// Checks a value that was indexed.
    pub fn check_tape(&self, tape: &Tape<'_>) -> Outcome {
        let bytes = tape.root().as_str().len() as u64;
        let granted = tape.len() as u64 * STEPS_PER_VALUE + bytes * STEPS_PER_BYTE;
        let steps = self.max_steps.saturating_add(granted);
        let mut checker = Checker::new(&self.schemas, tape, steps);
        match checker.apply(0, Spot { item: tape.root(), depth: 0 }, false) {
            Ok(Verdict::Yes | Verdict::Unsure) => match name_twice(tape.root().as_str()) {
                // Whoever reads the value may take the other one: what was checked would not be what is used.
                Some(pointer) => Outcome::Invalid(Box::new(ambiguous(pointer))),
                None => Outcome::Valid,
            },
            Ok(Verdict::No(failure)) => Outcome::Invalid(Box::new(explain::explain(&mut checker, *failure))),
            Err(gave_up) => Outcome::GaveUp(gave_up),
        }
    }

    /// Checks a value that was read into a tree.
    pub fn check_value(&self, value: &Value) -> Outcome {
        let mut text = String::new();
        value.push_to(&mut text);
        self.check(View::trusted(&text))
    }
}

/// Says that two members of one object have one name.
fn ambiguous(pointer: String) -> Mismatch {
    Mismatch {
        pointer,
        expected: "every name of an object once".into(),
        found: "this one twice".into(),
        hint: Some("leave one of the two out".into()),
    }
}

/// Returns what stands for a schema that nests too deep to be read.
fn unread() -> compile::Compiled {
    let rules = [Rule::Unsure].into();
    let reason = format!("the schema exceeds {MAX_DEPTH} levels or 4 GiB");
    compile::Compiled {
        schemas: [Schema { rules, ..Schema::default() }].into(),
        skipped: [Skipped { pointer: String::new(), keyword: String::new(), reason }].into(),
    }
}

#[cfg(test)]
mod tests;
