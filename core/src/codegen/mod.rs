//! Turns what a server listed into a module that a program calls, and a surface that a model reads.
//!
//! Everything in a listing is hostile until it is shown to be text. It reaches a module in three ways only: as an
//! identifier that [`name`](crate::name) made, as an escaped literal, or on a marked comment line. A backstop
//! checks every module against what the emitter meant to write; a breach is an error and never output.
//!
//! ```
//! use selvedge_core::codegen::{Listing, Options, generate};
//!
//! let text = r#"[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}}}}]"#;
//! let listing = Listing::parse(text)?;
//! let generated = generate(&listing, &Options { server: "calc".into(), ..Options::default() })?;
//! assert!(generated.surface.text.contains("add(args?: { a?: number })"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backstop;
mod comment;
pub mod escape;
mod find;
mod gleam;
mod listing;
mod loom;
mod module;
mod naming;
mod options;
mod paths;
mod prose;
mod python;
mod rust;
mod support;
mod surface;
pub mod text;
mod typed;
mod typescript;
mod unexpressed;

use alloc::{borrow::ToOwned, string::String, vec::Vec};

pub use backstop::Breach;
pub use listing::{EntryFault, Listing, ListingError, Problem, Tool};
pub use options::{Level, Options, Profile};

use crate::{json::Shown, schema::Loss};

/// The most characters of a name that an error quotes.
const MAX_QUOTED: usize = 120;

/// What a generation yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The name by which a program imports the module.
    pub module_name: String,
    /// Where the module belongs, relative to the folder of the support files.
    pub path: String,
    /// The text of the module.
    pub source: String,
    /// What the module has for each tool, in its order.
    pub functions: Vec<Function>,
    /// The files that the module needs beside it; the same for every server.
    pub support: Vec<File>,
    /// What a model is shown.
    pub surface: Surface,
    /// What is expressed less precisely than the server said it, and what is left out.
    pub losses: Vec<Loss>,
}

/// What a module has for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The tool's own name.
    pub tool: String,
    /// The name by which a program calls it.
    pub name: String,
    /// The tool declares what it returns, and the module says it.
    pub has_result: bool,
}

/// A file of our own that a module needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it belongs.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// The text that a model is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// How much of each tool it shows.
    pub level: Level,
    /// The text.
    pub text: String,
}

/// Why there is no module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// An entry of the listing is no tool, in profile `loom`.
    #[error(transparent)]
    MalformedTool(#[from] EntryFault),
    /// The listing is longer than a module may be.
    #[error("{count} tools exceed the {max} of a module")]
    TooManyTools {
        /// The number of tools.
        count: usize,
        /// The most that are allowed.
        max: usize,
    },
    /// Two tools would be called by one name.
    #[error("the tools \"{}\" and \"{}\" would share one name", Shown(.first), Shown(.second))]
    ToolNameCollision {
        /// The earlier one, shortened.
        first: String,
        /// The later one, shortened.
        second: String,
    },
    /// The poorest surface is larger than allowed.
    #[error("a surface of {bytes} bytes exceeds {max}")]
    SurfaceTooLarge {
        /// Its size.
        bytes: usize,
        /// The most that is allowed.
        max: usize,
    },
    /// The module is larger than allowed.
    #[error("a module of {bytes} bytes or more exceeds {max}")]
    SourceTooLarge {
        /// The size at which writing stopped.
        bytes: usize,
        /// The most that is allowed.
        max: usize,
    },
    /// The module holds something that the emitter did not mean to write.
    #[error("the backstop refuses the module: {0}")]
    SanitizerBreach(Breach),
}

impl GenerateError {
    fn collision(first: &str, second: &str) -> Self {
        let shown = |name: &str| text::clean(name, MAX_QUOTED, text::Hidden::Extended);
        Self::ToolNameCollision { first: shown(first), second: shown(second) }
    }
}

/// Generates a module and a surface from a listing.
///
/// The same listing gives the same bytes; the order of its tools does not matter.
///
/// # Errors
///
/// Says why there is no module. A single tool that cannot be expressed is no such reason, except in profile
/// `loom`: it is left out or taken whole, and listed among the losses.
pub fn generate(listing: &Listing<'_>, options: &Options) -> Result<Generated, GenerateError> {
    match options.profile {
        Profile::Loom => loom::generate(listing, options),
        Profile::Typed => typed::generate(listing, options),
    }
}

/// Renders everything that is known about one tool, for a model that asks; [`None`] if no tool has that name.
///
/// # Errors
///
/// Says why there is no module that the tool could be shown from.
pub fn detail(listing: &Listing<'_>, options: &Options, tool: &str) -> Result<Option<String>, GenerateError> {
    match options.profile {
        Profile::Loom => loom::detail(listing, options, tool),
        Profile::Typed => typed::detail(listing, options, tool),
    }
}

/// Names what a module was made from: its own text without the first lines.
fn header_digest(body: &str, options: &Options) -> String {
    let digits = (options.digest)(body.as_bytes());
    digits.get(..16).unwrap_or(&digits).to_owned()
}
