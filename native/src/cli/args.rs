//! What the command line takes.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge::core::{client::EraPolicy, frame::Framing, protocol::Revision};

const EXAMPLES: &str = "\
Examples:
  Try it with nothing installed
    selvedge demo

  List the tools of a server, then call one
    selvedge tools -- npx -y @modelcontextprotocol/server-everything
    selvedge call get-sum a=2 b=40 -- npx -y @modelcontextprotocol/server-everything

  Pass arguments as JSON, get the answer as JSON
    selvedge --json call echo --args '{\"text\":\"hi\"}' -- my-server | jq .

  Turn a server's tools into a typed module, and into a short text for a model
    selvedge generate --lang python --out tools/ -- npx -y @modelcontextprotocol/server-everything
    selvedge surface --listing tools.json --budget 4000

  Find out what is wrong with a server
    selvedge inspect --trace session.jsonl -- my-server --verbose

  Be a server that others can reach over HTTP
    selvedge serve --http 127.0.0.1:8080 --demo

  Hand over a secret, which servers never inherit
    selvedge tools --env GITHUB_TOKEN -- github-mcp-server stdio

Environment:
  NO_COLOR      no colours
  SELVEDGE_LOG  what the engine tells of its work: off, error (the default), warn, info, debug, trace

Exit codes:
  0  done                     3  there is no session with the server
  1  the tool says it failed  4  the server or the protocol failed
  2  wrong usage              5  no answer in time";

/// Talk to servers of the Model Context Protocol: list and call their tools, read their resources, see what they do.
#[derive(Debug, Parser)]
#[command(
    name = "selvedge",
    version,
    after_help = EXAMPLES,
    max_term_width = 110,
    arg_required_else_help = true,
    subcommand_required = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The options that every command takes.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug)]
pub(super) struct Global {
    /// Print one JSON document with the server's own words
    #[arg(long, global = true, help_heading = "Output")]
    pub(super) json: bool,
    /// Colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(super) color: Color,
    /// Print no notes, warnings and progress on stderr
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(super) quiet: bool,
    /// Escape control characters of servers even where the output is no terminal, such as for `| less`
    #[arg(long, global = true, help_heading = "Output")]
    pub(super) escape: bool,
    /// Record every message with its time into this file, one JSON object a line: secrets too, so that only you may
    /// read it; a link is refused, a file of yours is overwritten
    #[arg(long, global = true, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,
    /// Seconds to wait for the server to start (30) and for each answer (60); progress winds the clock up again
    #[arg(long, global = true, value_name = "SECS", value_parser = seconds, help_heading = "Server")]
    pub(super) timeout: Option<Duration>,
    /// Set a variable for the server, or pass this one through; it inherits only harmless ones (repeatable)
    #[arg(long, global = true, value_name = "NAME[=VALUE]", help_heading = "Server")]
    pub(super) env: Vec<OsString>,
    /// Start the server in this directory; its command is never looked up there
    #[arg(long, global = true, value_name = "DIR", help_heading = "Server")]
    pub(super) cwd: Option<PathBuf>,
    /// Leave what the server put outside its process group, such as a browser that it opened for you
    #[arg(long, global = true, help_heading = "Server")]
    pub(super) leave_detached: bool,
    /// Delimit messages by line ends, or by headers as language servers do
    #[arg(long, global = true, value_name = "HOW", default_value = "newline", help_heading = "Server")]
    pub(super) framing: Frames,
    /// Shake hands first and ask what it speaks where that fails, the other way round, or speak one revision only
    #[arg(long, global = true, value_name = "HOW", default_value = "legacy-first", help_heading = "Server")]
    pub(super) era: Eras,
    /// End the session at the first line that is no message, and refuse listings with a bad entry
    #[arg(long, global = true, help_heading = "Server")]
    pub(super) strict: bool,
}

/// When the output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// How messages are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Frames {
    Newline,
    ContentLength,
}

impl From<Frames> for Framing {
    fn from(frames: Frames) -> Self {
        match frames {
            Frames::Newline => Self::Newline,
            Frames::ContentLength => Self::ContentLength,
        }
    }
}

/// Which era is tried first, or which revision is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Eras {
    LegacyFirst,
    ModernFirst,
    #[value(name = "2026-07-28")]
    V2026_07_28,
    #[value(name = "2025-11-25")]
    V2025_11_25,
    #[value(name = "2025-06-18")]
    V2025_06_18,
    #[value(name = "2025-03-26")]
    V2025_03_26,
    #[value(name = "2024-11-05")]
    V2024_11_05,
}

impl From<Eras> for EraPolicy {
    fn from(eras: Eras) -> Self {
        Self::Pinned(match eras {
            Eras::LegacyFirst => return Self::LegacyFirst,
            Eras::ModernFirst => return Self::ModernFirst,
            Eras::V2026_07_28 => Revision::V2026_07_28,
            Eras::V2025_11_25 => Revision::V2025_11_25,
            Eras::V2025_06_18 => Revision::V2025_06_18,
            Eras::V2025_03_26 => Revision::V2025_03_26,
            Eras::V2024_11_05 => Revision::V2024_11_05,
        })
    }
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the server's tools and what they take
    Tools(Only),
    /// Call a tool and print its answer
    Call(Call),
    /// List the server's resources and templates of resources
    Resources(Only),
    /// Read a resource
    Read(Read),
    /// List the server's prompts and what they take
    Prompts(Only),
    /// Get a prompt, filled in
    Prompt(Prompt),
    /// Measure how fast the server answers
    Ping(Ping),
    /// Show the handshake, timings, and everything the server does wrong
    Inspect(Only),
    /// Generate a typed module, and what a model is shown of it, from the server's tools
    Generate(Generate),
    /// Print what a model is shown of the server's tools
    Surface(Surface),
    /// Try it all on the built-in demo server
    Demo,
    /// Be a server, on standard input and output or over HTTP
    Serve(Serve),
}

impl Cli {
    /// Returns whether many clients are served at once, which needs more than one thread.
    pub(crate) const fn serves_many(&self) -> bool {
        matches!(&self.command, Command::Serve(Serve { http: Some(_), .. }))
    }
}

/// The command that starts the server.
#[derive(Args, Debug)]
pub(super) struct Target {
    /// The server's program and its arguments, read by no shell
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) server: Vec<OsString>,
}

/// A command that needs nothing but a server.
#[derive(Args, Debug)]
pub(super) struct Only {
    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Args, Debug)]
pub(super) struct Call {
    /// The tool
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// Arguments: the tool's schema says what `key=value` means, `key:=JSON` is taken literally; `-` reads a JSON
    /// object from standard input
    #[arg(value_name = "KEY=VALUE", conflicts_with = "args")]
    pub(super) pairs: Vec<String>,
    /// All arguments as one JSON object; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    pub(super) args: Option<String>,
    /// Send the arguments and take the answer without checking them against the schemas of the tool
    #[arg(long)]
    pub(super) no_check: bool,
    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Args, Debug)]
pub(super) struct Read {
    /// The resource
    #[arg(value_name = "URI")]
    pub(super) uri: String,
    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Args, Debug)]
pub(super) struct Prompt {
    /// The prompt
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// Arguments, which are always text
    #[arg(value_name = "KEY=VALUE")]
    pub(super) pairs: Vec<String>,
    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Args, Debug)]
pub(super) struct Ping {
    /// How many times
    #[arg(long, short = 'n', value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) count: u32,
    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Args, Debug)]
pub(super) struct Serve {
    /// Serve one client on standard input and output; this is what happens without `--http`
    #[arg(long, conflicts_with = "http")]
    pub(super) stdio: bool,
    /// Serve any number of clients over HTTP at this address, such as `127.0.0.1:8080`; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    pub(super) http: Option<String>,
    /// Serve the built-in tour of the protocol
    #[arg(long, required_unless_present = "project", conflicts_with = "project")]
    pub(super) demo: bool,
    /// Serve the files of this folder: resources, `read_file`, `search`, `git_diff` and `write_file`
    #[arg(long, value_name = "DIR")]
    pub(super) project: Option<PathBuf>,
    /// Let clients call the tools that say they destroy something
    #[arg(long)]
    pub(super) allow_destructive: bool,
    /// Serve only clients with a token of this file: one a line, its owner's name behind a space
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(super) token_file: Option<PathBuf>,
    /// Serve requests for this host name too, with any port unless one is given (repeatable)
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(super) allow_host: Vec<String>,
}

/// Where the tools come from: a server, or a listing that was kept.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// Read the tools from this file instead of a server, `-` for standard input: a `tools/list` result, a response
    /// that holds one, or an array of tools
    #[arg(long, value_name = "FILE", conflicts_with = "server", required_unless_present = "server")]
    pub(super) listing: Option<PathBuf>,
    /// The server's name in the module, instead of its own
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// The server's program and its arguments, read by no shell
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) server: Vec<OsString>,
}

/// What is made of the tools.
#[derive(Args, Debug)]
pub(super) struct Wanted {
    /// The language [default: typescript, or gleam in profile loom]
    #[arg(long, value_name = "LANGUAGE")]
    pub(super) lang: Option<Lang>,
    /// Everything typed, or the fixed Gleam form
    #[arg(long, value_name = "PROFILE", default_value = "typed")]
    pub(super) profile: Shape,
    /// The most bytes of the surface [default: 65536]
    #[arg(long, value_name = "BYTES")]
    pub(super) budget: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Lang {
    Gleam,
    Typescript,
    Python,
    Rust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shape {
    Typed,
    Loom,
}

/// How much of each tool a surface shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shown {
    /// The richest level that fits the budget
    Auto,
    /// The name and the start of the description
    Names,
    /// One line of description and the signature
    TwoLine,
    /// That, and a line for each parameter
    Notes,
    /// The whole description and every restriction
    Full,
}

#[derive(Args, Debug)]
pub(super) struct Generate {
    #[command(flatten)]
    pub(super) wanted: Wanted,
    /// Write the module, its surface and the files that it needs into this directory instead of printing the module
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// How much of each tool the surface shows; a printed module then ends with it, in comments
    #[arg(long, value_name = "LEVEL")]
    pub(super) surface: Option<Shown>,
    /// List every place that is less precise than the server's schemas
    #[arg(long)]
    pub(super) losses: bool,
    #[command(flatten)]
    pub(super) source: Source,
}

#[derive(Args, Debug)]
pub(super) struct Surface {
    #[command(flatten)]
    pub(super) wanted: Wanted,
    /// How much of each tool is shown
    #[arg(long, value_name = "LEVEL", default_value = "auto", alias = "surface")]
    pub(super) level: Shown,
    /// Show everything about this tool only
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    #[command(flatten)]
    pub(super) source: Source,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "must be a number of seconds, such as 2.5".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("must be more than 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_time_is_a_positive_decimal() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["0", "-1", "NaN", "inf", "1e300", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
