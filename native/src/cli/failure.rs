//! What went wrong, what it means for scripts, and what to try.

use std::{fmt::Display, io};

use selvedge::{
    ConnectError, Connection, Error, Server,
    core::{
        Misuse,
        client::{CallError, Evidence, OpenError, Reason, RetirementError},
        json::RawJson,
        jsonrpc::{RpcError, code},
        protocol::CallToolResult,
        validate::Mismatch,
    },
};
use serde::Serialize;

use super::{
    json::Verbatim,
    output::{BAD, DIM, Output},
    session::left_out_of_path,
    text,
};

/// How many lines of a dead server's diagnostics are shown.
const MAX_TAIL_LINES: usize = 20;
const MAX_TAIL_COLUMNS: usize = 200;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Done = 0,
    ToolFailed = 1,
    Usage = 2,
    NotConnected = 3,
    ServerFailed = 4,
    TimedOut = 5,
}

/// Why a command has no answer to print.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) exit: Exit,
    kind: &'static str,
    message: String,
    error: Option<Box<RpcError>>,
    mismatch: Option<Box<Mismatch>>,
    /// The answer of a tool that did not keep its promise, where it is not printed by itself.
    result: Option<Box<RawJson>>,
    hints: Vec<String>,
    stderr_tail: String,
}

#[derive(Serialize)]
struct Document<'a> {
    error: Body<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Verbatim<'a>>,
}

#[derive(Serialize)]
struct Body<'a> {
    kind: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Verbatim<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<Difference<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hints: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    stderr: &'a str,
}

/// Where a value differs from its schema.
#[derive(Serialize)]
struct Difference<'a> {
    pointer: &'a str,
    expected: &'a str,
    found: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl<'a> From<&'a Mismatch> for Difference<'a> {
    fn from(mismatch: &'a Mismatch) -> Self {
        Self {
            pointer: &mismatch.pointer,
            expected: &mismatch.expected,
            found: &mismatch.found,
            hint: mismatch.hint.as_deref(),
        }
    }
}

impl Failure {
    fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            kind,
            message: message.into(),
            error: None,
            mismatch: None,
            result: None,
            hints: Vec::new(),
            stderr_tail: String::new(),
        }
    }

    /// The command line asks for something that makes no sense or cannot be had.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// The arguments are not what the tool takes.
    fn arguments(tool: &str, mismatch: Box<Mismatch>) -> Self {
        let message = format!("`{tool}` does not take these arguments: {}", bare(&mismatch));
        let mut failure = Self::new(Exit::Usage, "arguments", message);
        failure.hints.extend(mismatch.hint.clone());
        failure.mismatch = Some(mismatch);
        failure.hint("nothing was sent; `--no-check` sends it all the same")
    }

    /// The answer is not what the tool promises; in a document it stands beside the failure.
    pub(super) fn result(output: &Output, mismatch: Mismatch, result: &CallToolResult) -> Self {
        let message = format!("the answer is not what the tool promises: {}", bare(&mismatch));
        let mut failure = Self::new(Exit::ServerFailed, "result", message);
        failure.mismatch = Some(Box::new(mismatch));
        failure.result = output.is_json.then(|| Box::new(result.raw().clone()));
        failure.hint("`--no-check` takes it all the same")
    }

    /// Nothing can be made of what the server lists.
    pub(super) fn listing(message: impl Into<String>) -> Self {
        Self::new(Exit::ServerFailed, "listing", message)
    }

    /// Says more precisely what happened, for scripts.
    pub(super) const fn of_kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// A file of the command line cannot be read or written.
    pub(super) fn file(what: &str, error: &io::Error) -> Self {
        Self::new(Exit::Usage, "file", format!("{what}: {error}"))
    }

    /// What is served cannot be read or written.
    pub(super) fn serving(what: &str, error: &io::Error) -> Self {
        Self::new(Exit::ServerFailed, "serving", format!("{what}: {error}"))
    }

    /// Whoever read the output has seen enough.
    pub(super) fn output_closed() -> Self {
        Self::new(Exit::Done, "output-closed", "")
    }

    /// This program did something wrong.
    pub(super) fn bug(error: &impl Display) -> Self {
        Self::new(Exit::ServerFailed, "internal", format!("this is a bug in selvedge: {error}"))
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds how the server ended and what it wrote last on its diagnostic stream, where that may be the cause.
    pub(super) fn with_end(
        mut self,
        connection: &Connection,
        end: &Result<Evidence, RetirementError>,
    ) -> Self {
        let has_answered = self.exit != Exit::ServerFailed || self.error.is_some();
        if has_answered || !self.stderr_tail.is_empty() {
            return self;
        }
        let has_died = connection.reason().is_some_and(|reason| *reason != Reason::ShutDown);
        let crash = match end {
            Ok(Evidence::Exited(status)) if status.code.is_some_and(|code| code != 0) => Some(status),
            _ => None,
        };
        if has_died || crash.is_some() {
            connection.stderr_tail().unwrap_or_default().clone_into(&mut self.stderr_tail);
        }
        let told = crash.map(ToString::to_string).filter(|crash| !self.message.contains(crash));
        match told {
            Some(crash) => self.hint(format!("the server {crash}")),
            None => self,
        }
    }

    /// There is no session.
    pub(super) fn of_connect(error: ConnectError, server: &Server) -> Self {
        let exit = match &error.reason {
            Reason::HandshakeTimedOut { .. } => Exit::TimedOut,
            _ => Exit::NotConnected,
        };
        let kind = if exit == Exit::TimedOut { "timed-out" } else { "not-connected" };
        let mut failure = Self::new(exit, kind, error.reason.to_string());
        failure.hints = connect_hints(&error.reason, server);
        if let Reason::HandshakeRefused(refusal) = &error.reason {
            failure.error = Some(Box::new(refusal.clone()));
        }
        failure.stderr_tail = error.stderr_tail;
        failure
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Returns whether the server answered that it does not know the method.
    pub(super) fn is_unknown_method(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == code::METHOD_NOT_FOUND)
    }

    /// Says it, to programs too where that was asked for.
    pub(super) fn tell(&self, output: &Output) {
        if self.message.is_empty() {
            return;
        }
        anstream::eprintln!("{BAD}error:{BAD:#} {}", text::one_line(&self.message));
        if let Some(data) = self.error.as_ref().and_then(|error| error.data.as_ref()) {
            let data = text::one_line(data.as_str());
            anstream::eprintln!("  {DIM}data:{DIM:#} {}", text::cut(&data, MAX_TAIL_COLUMNS));
        }
        self.tell_tail();
        for hint in &self.hints {
            anstream::eprintln!("{DIM}hint:{DIM:#} {}", text::one_line(hint));
        }
        if output.is_json {
            // It has been said already where nobody reads the output.
            let result = self.result.as_ref().map(|result| Verbatim(result.view()));
            let _ = output.document(&Document { error: self.body(), result });
        }
    }

    fn tell_tail(&self) {
        let lines: Vec<&str> = self.stderr_tail.lines().filter(|line| !line.trim().is_empty()).collect();
        let Some(shown) = lines.get(lines.len().saturating_sub(MAX_TAIL_LINES)..) else { return };
        if shown.is_empty() {
            return;
        }
        let which = if shown.len() < lines.len() { "the last lines" } else { "all" };
        anstream::eprintln!("  {DIM}{which} that the server wrote on stderr:{DIM:#}");
        for line in shown {
            anstream::eprintln!("    {}", text::cut(&text::safe(line), MAX_TAIL_COLUMNS));
        }
    }

    fn body(&self) -> Body<'_> {
        let data = self.error.as_ref().and_then(|error| error.data.as_ref());
        Body {
            kind: self.kind,
            message: &self.message,
            code: self.error.as_ref().map(|error| error.code),
            data: data.map(|data| Verbatim(data.view())),
            mismatch: self.mismatch.as_deref().map(Difference::from),
            hints: &self.hints,
            stderr: &self.stderr_tail,
        }
    }
}

/// A call has no answer.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let call = match error {
            Error::Call(call) => call,
            Error::Misuse(Misuse::BadArguments { tool, mismatch }) => {
                return Self::arguments(&tool, mismatch);
            }
            other => return Self::usage(other.to_string()),
        };
        let message = call.to_string();
        match call {
            CallError::TimedOut { .. } => Self::new(Exit::TimedOut, "timed-out", message)
                .hint("`--timeout SECS` waits longer; the server was told to stop"),
            CallError::Refused(error) => {
                let mut failure = Self::new(Exit::ServerFailed, "refused", message);
                failure.hints.extend(refusal_hint(error.code).map(str::to_owned));
                failure.error = Some(Box::new(error));
                failure
            }
            CallError::ToolFailed(_) => Self::new(Exit::ToolFailed, "tool-failed", message),
            CallError::Unavailable(_) => Self::new(Exit::ServerFailed, "unavailable", message),
            CallError::TooLarge { .. } | CallError::ListingTooLarge { .. } => {
                Self::new(Exit::ServerFailed, "too-large", message)
            }
            _ => Self::new(Exit::ServerFailed, "malformed", message)
                .hint("`selvedge inspect --trace FILE` records what the server writes"),
        }
    }
}

/// Returns the difference without the hint, which is told apart.
fn bare(mismatch: &Mismatch) -> Mismatch {
    Mismatch { hint: None, ..mismatch.clone() }
}

const fn refusal_hint(code: i64) -> Option<&'static str> {
    match code {
        code::METHOD_NOT_FOUND => {
            Some("the server does not know this method; `selvedge inspect` shows what it offers")
        }
        code::INVALID_PARAMS => Some("`selvedge tools` and `selvedge prompts` show what the server takes"),
        code::NOT_INITIALIZED => Some("`selvedge resources` lists what can be read"),
        _ => None,
    }
}

fn connect_hints(reason: &Reason, server: &Server) -> Vec<String> {
    let hint = match reason {
        Reason::OpenFailed(error) => return open_hint(error, server).into_iter().collect(),
        Reason::HandshakeTimedOut { .. } => {
            "`--timeout SECS` waits longer: the first start of a package may have to download it"
        }
        Reason::HandshakeMalformed(_) | Reason::HandshakeRefused(_) => {
            "`--trace FILE` records what was said; `--framing content-length` suits servers built like language servers"
        }
        Reason::Violated(_) => "without `--strict` such output is passed over",
        Reason::Exited(_) | Reason::OutputClosed | Reason::InputClosed(_) => {
            "a server sees only harmless variables of yours: `--env NAME` passes another one through"
        }
        _ => return Vec::new(),
    };
    vec![hint.to_owned()]
}

fn open_hint(error: &OpenError, server: &Server) -> Option<String> {
    let command = server.name();
    let hint = match error {
        OpenError::CommandNotFound(_) => match command.as_str() {
            "npx" | "npm" | "node" => "it comes with Node.js".to_owned(),
            "uvx" | "uv" => "it comes with uv".to_owned(),
            _ if command.contains(char::is_whitespace) => {
                "no shell reads the command: write each word by itself, without quotes around all".to_owned()
            }
            _ => match left_out_of_path(server).join(", ") {
                none if none.is_empty() => {
                    "is it installed, and in PATH? What stands behind `--` is the server's own command"
                        .to_owned()
                }
                left_out => format!(
                    "the empty and relative entries of PATH are not searched ({left_out}): write the path of the command"
                ),
            },
        },
        OpenError::NotExecutable(_) => "is it a program? A script needs the right to be run".to_owned(),
        OpenError::DirectoryNotFound(_) => "`--cwd` must name a directory".to_owned(),
        _ => return None,
    };
    Some(hint)
}
