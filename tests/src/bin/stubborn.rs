//! A fake MCP server for the worst cases: every flag is one way to misbehave, and flags combine.

use std::{
    env,
    error::Error,
    ffi::OsString,
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, StdinLock, Write},
    path::{Path, PathBuf},
    process::{self, Command, ExitCode, Stdio},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};

use clap::{Parser, ValueEnum};
use rustix::process::setsid;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

const MODERN: &str = "2026-07-28";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What `ask` must be given back.
const STATE: &str = "round one/\u{e9}";

/// A process that nobody ends goes by itself after this time, so that a failed test leaves nothing behind for long.
const LONGEST_LIFE: Duration = Duration::from_mins(10);

/// A fake MCP server on standard input and output that misbehaves on demand.
///
/// Its tools: `echo` {"text": string} answers with the text, `big` {"bytes": n} with n letters, `sleep` never.
/// In the modern era there is `ask` {"method": string, "params": object}, which asks that and answers with the answer.
/// Without flags it is well behaved: newline framing, session era, exit 0 at the end of its input.
#[derive(Parser)]
#[command(name = "stubborn", max_term_width = 120)]
#[expect(clippy::struct_excessive_bools, reason = "every mode is a flag of its own and they combine freely")]
struct Options {
    /// Lives on after the end of its input
    #[arg(long, help_heading = "Life")]
    ignore_eof: bool,
    /// Lives on after SIGTERM, SIGINT and SIGHUP
    #[arg(long, help_heading = "Life")]
    ignore_sigterm: bool,
    /// Starts an idle child that shares its output and its stderr, and writes the child's pid to this file
    #[arg(long, value_name = "PIDFILE", help_heading = "Life")]
    grandchild: Option<PathBuf>,
    /// Has that child leave the server's process group in this way, and keep none of its streams
    #[arg(long, value_name = "HOW", requires = "grandchild", help_heading = "Life")]
    detach: Option<Detach>,
    /// Does nothing, ignores signals and its input
    #[arg(long, help_heading = "Life")]
    idle: bool,
    /// Moves to a session of its own and writes its pid to its output, before it is idle
    #[arg(long, requires = "idle", help_heading = "Life")]
    new_session: bool,
    /// Starts a process that is idle in a session of its own, and goes
    #[arg(long, help_heading = "Life")]
    fork_off: bool,
    /// Exits with this code before anything else
    #[arg(long, value_name = "CODE", help_heading = "Life")]
    exit_at_start: Option<u8>,
    /// Says this on stderr when it starts
    #[arg(long, value_name = "TEXT", help_heading = "Life")]
    say: Option<String>,
    /// Writes at least this many bytes to stderr before its first reply; the last line is `flood ends`
    #[arg(long, value_name = "BYTES", help_heading = "Life")]
    stderr_flood: Option<usize>,

    /// Writes this line to its output before it reads anything
    #[arg(long, value_name = "TEXT", help_heading = "Handshake")]
    banner: Option<String>,
    /// Never answers `initialize` and `server/discover`
    #[arg(long, help_heading = "Handshake")]
    silent: bool,
    /// Answers `initialize` with this protocolVersion
    #[arg(long, value_name = "REV", default_value = "2025-11-25", help_heading = "Handshake")]
    version: String,
    /// Speaks the modern era only: `initialize` is unknown, every request needs its envelope
    #[arg(long, help_heading = "Handshake")]
    modern_only: bool,
    /// Does this when it is asked what it speaks, instead of answering
    #[arg(long, value_name = "HOW", help_heading = "Handshake")]
    discover: Option<OnDiscover>,
    /// Reads nothing more once the handshake is answered
    #[arg(long, help_heading = "Handshake")]
    never_read: bool,

    /// Writes half of the reply to a call and nothing more
    #[arg(long, help_heading = "Calls")]
    half_line_then_hang: bool,
    /// Writes half of the reply to a call and exits with code 3
    #[arg(long, help_heading = "Calls")]
    die_mid_line: bool,
    /// Collects this many calls and answers them in reverse
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, help_heading = "Calls")]
    out_of_order: usize,
    /// Writes this many junk lines before each reply to a call
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Calls")]
    stray_on_call: usize,
    /// Answers the first call of `big` with this many letters, whatever it asked for
    #[arg(long, value_name = "BYTES", help_heading = "Calls")]
    oversize_first: Option<usize>,
    /// Writes the id behind the result
    #[arg(long, help_heading = "Calls")]
    id_last: bool,
    /// Promises the length of the text as a structured result of `echo`, and answers with this text instead
    #[arg(long, value_name = "TEXT", help_heading = "Calls")]
    lie: Option<String>,

    /// Writes and accepts Content-Length framing only
    #[arg(long, help_heading = "Wire")]
    content_length: bool,
    /// Appends every message that it reads to this file, one a line
    #[arg(long, value_name = "FILE", help_heading = "Wire")]
    record: Option<PathBuf>,
    /// Writes its environment to this file, one NAME=VALUE a line
    #[arg(long, value_name = "FILE", help_heading = "Wire")]
    print_env: Option<PathBuf>,
    /// Writes its arguments to this file, one a line
    #[arg(long, value_name = "FILE", help_heading = "Wire")]
    print_args: Option<PathBuf>,
}

/// What a server does with a question that it does not know how to survive.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnDiscover {
    /// It exits with code 4.
    Exit,
    /// It reads nothing more.
    Hang,
    /// It goes on as if nothing had been asked.
    Ignore,
    /// It answers once the next message has come, before it answers that.
    Late,
}

/// How a child leaves the process group of its parent.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Detach {
    /// It has a session of its own.
    Session,
    /// It has a session of its own and an empty environment.
    Bare,
    /// It has a session of its own, and its parent is gone.
    Daemon,
}

type Fallible<T> = Result<T, Box<dyn Error>>;

/// What the process does once a message is handled.
enum Next {
    Read,
    Hang,
    Exit(u8),
}

/// What a request is answered with: a result, or the code, message and data of an error.
enum Answer {
    Result(Value),
    Error(i64, &'static str, Value),
    Nothing,
}

struct Server {
    options: Options,
    /// The replies that wait for `--out-of-order`, oldest first.
    held: Vec<String>,
    oversize_pending: Option<usize>,
    /// The question of `--discover late` that waits.
    late: Option<Value>,
    record: Option<File>,
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("stubborn: {error}");
            ExitCode::from(101)
        }
    }
}

fn run(options: Options) -> Fallible<u8> {
    tell_about_itself(&options)?;
    if let Some(text) = &options.say {
        eprintln!("{text}");
    }
    if let Some(code) = options.exit_at_start {
        return Ok(code);
    }
    if options.ignore_sigterm || options.idle {
        ignore_signals()?;
    }
    if options.fork_off {
        Command::new(env::current_exe()?).args(ALONE).spawn()?;
        return Ok(0);
    }
    if options.idle {
        if options.new_session {
            setsid()?;
            write_whole(format!("{}\n", process::id()).as_bytes())?;
        }
        return Ok(hang());
    }
    match (&options.grandchild, options.detach) {
        (Some(pid_file), Some(how)) => start_detached(pid_file, how)?,
        (Some(pid_file), None) => start_grandchild(pid_file)?,
        (None, _) => {}
    }
    if let Some(bytes) = options.stderr_flood {
        flood(io::stderr().lock(), bytes)?;
    }
    if let Some(text) = &options.banner {
        write_whole(format!("{text}\n").as_bytes())?;
    }
    Server::new(options)?.serve(io::stdin().lock())
}

impl Server {
    fn new(options: Options) -> io::Result<Self> {
        let record = match &options.record {
            Some(path) => Some(File::options().create(true).append(true).open(path)?),
            None => None,
        };
        Ok(Self { oversize_pending: options.oversize_first, held: Vec::new(), late: None, record, options })
    }

    fn serve(mut self, mut input: StdinLock<'_>) -> Fallible<u8> {
        while let Some(text) = self.read(&mut input)? {
            if let Some(record) = &mut self.record {
                writeln!(record, "{text}")?;
            }
            match self.handle(&text)? {
                Next::Read => {}
                Next::Hang => return Ok(hang()),
                Next::Exit(code) => return Ok(code),
            }
        }
        Ok(if self.options.ignore_eof { hang() } else { 0 })
    }

    /// Reads one message; `None` is the end of the input.
    fn read(&self, input: &mut impl BufRead) -> Fallible<Option<String>> {
        let mut line = String::new();
        if !self.options.content_length {
            let read = input.read_line(&mut line)?;
            return Ok((read > 0).then(|| line.trim_end().to_owned()));
        }
        let mut length = None;
        loop {
            line.clear();
            if input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            if line.starts_with('{') {
                return Err("a message without Content-Length".into());
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(value.trim().parse()?);
            }
        }
        let mut body = vec![0; length.ok_or("a head without Content-Length")?];
        input.read_exact(&mut body)?;
        Ok(Some(String::from_utf8(body)?))
    }

    fn handle(&mut self, text: &str) -> io::Result<Next> {
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            self.reply(&Value::Null, Answer::Error(-32700, "not JSON", Value::Null))?;
            return Ok(Next::Read);
        };
        let (Some(method), Some(id)) = (text_at(&message, "/method"), message.get("id")) else {
            return Ok(Next::Read);
        };
        let handshake = matches!(method, "initialize" | "server/discover");
        if handshake && self.options.silent {
            return Ok(Next::Read);
        }
        if let Some(late) = self.late.take() {
            self.reply(&late, discover())?;
        }
        if method == "server/discover"
            && let Some(how) = self.options.discover
        {
            return Ok(self.discover_otherwise(how, id));
        }
        let answer = self.answer(method, &message);
        if method == "tools/call" {
            return self.reply_to_call(id, answer);
        }
        self.reply(id, answer)?;
        Ok(if handshake && self.options.never_read { Next::Hang } else { Next::Read })
    }

    fn discover_otherwise(&mut self, how: OnDiscover, id: &Value) -> Next {
        match how {
            OnDiscover::Exit => return Next::Exit(4),
            OnDiscover::Hang => return Next::Hang,
            OnDiscover::Ignore => {}
            OnDiscover::Late => {
                self.late = Some(id.clone());
                // It is late once only.
                self.options.discover = None;
            }
        }
        Next::Read
    }

    fn answer(&mut self, method: &str, message: &Value) -> Answer {
        if let Some(refusal) = self.wrong_era(method, message) {
            return refusal;
        }
        match method {
            "initialize" => self.initialize(),
            "server/discover" => discover(),
            "ping" => Answer::Result(json!({})),
            "tools/list" => Answer::Result(json!({ "tools": tools(self.options.lie.is_some()) })),
            "tools/call" => self.call(message),
            _ => unknown_method(method),
        }
    }

    fn wrong_era(&self, method: &str, message: &Value) -> Option<Answer> {
        if !self.options.modern_only {
            return (method == "server/discover").then(|| unknown_method(method));
        }
        if matches!(method, "initialize" | "ping") {
            return Some(unknown_method(method));
        }
        let requested = message.pointer("/params/_meta").and_then(|meta| meta.get(VERSION_KEY));
        if requested == Some(&json!(MODERN)) {
            return None;
        }
        let data = json!({ "supported": [MODERN], "requested": requested });
        Some(Answer::Error(-32022, "unsupported protocol version", data))
    }

    fn initialize(&self) -> Answer {
        Answer::Result(json!({
            "protocolVersion": self.options.version,
            "capabilities": { "tools": {} }, "serverInfo": { "name": "stubborn", "version": "1" },
        }))
    }

    fn call(&mut self, message: &Value) -> Answer {
        match text_at(message, "/params/name") {
            Some("echo") => match (text_at(message, "/params/arguments/text"), &self.options.lie) {
                (None, _) => invalid("text must be a string"),
                (Some(text), None) => content(text),
                (Some(text), Some(lie)) => Answer::Result(json!({
                    "content": [{ "type": "text", "text": text }], "structuredContent": { "length": lie },
                })),
            },
            Some("big") => match message.pointer("/params/arguments/bytes").and_then(to_size) {
                Some(bytes) => content(&"x".repeat(self.oversize_pending.take().unwrap_or(bytes))),
                None => invalid("bytes must be a whole number"),
            },
            Some("sleep") => Answer::Nothing,
            Some("ask") if self.options.modern_only => ask(message),
            _ => invalid("unknown tool"),
        }
    }

    fn reply(&self, id: &Value, answer: Answer) -> io::Result<()> {
        let Some(text) = self.encode(id, answer) else { return Ok(()) };
        write_whole(self.frame(&text).as_bytes())
    }

    fn reply_to_call(&mut self, id: &Value, answer: Answer) -> io::Result<Next> {
        let Some(text) = self.encode(id, answer) else { return Ok(Next::Read) };
        self.held.push(text);
        if self.held.len() < self.options.out_of_order {
            return Ok(Next::Read);
        }
        while let Some(text) = self.held.pop() {
            write_whole("not a message\n".repeat(self.options.stray_on_call).as_bytes())?;
            let framed = self.frame(&text).into_bytes();
            let (half, _) = framed.split_at(framed.len() / 2);
            if self.options.die_mid_line {
                write_whole(half)?;
                return Ok(Next::Exit(3));
            }
            if self.options.half_line_then_hang {
                write_whole(half)?;
                return Ok(Next::Hang);
            }
            write_whole(&framed)?;
        }
        Ok(Next::Read)
    }

    fn encode(&self, id: &Value, answer: Answer) -> Option<String> {
        let outcome = match answer {
            Answer::Nothing => return None,
            Answer::Error(code, message, data) => {
                let error = json!({ "code": code, "message": message, "data": data });
                format!(r#""error":{error}"#)
            }
            Answer::Result(mut result) => {
                if let (true, Value::Object(members)) = (self.options.modern_only, &mut result) {
                    members.entry("resultType").or_insert_with(|| "complete".into());
                }
                format!(r#""result":{result}"#)
            }
        };
        Some(if self.options.id_last {
            format!(r#"{{{outcome},"jsonrpc":"2.0","id":{id}}}"#)
        } else {
            format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#)
        })
    }

    fn frame(&self, text: &str) -> String {
        if self.options.content_length {
            format!("Content-Length: {}\r\n\r\n{text}", text.len())
        } else {
            format!("{text}\n")
        }
    }
}

fn discover() -> Answer {
    Answer::Result(json!({
        "supportedVersions": [MODERN], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "stubborn", "version": "1" } },
    }))
}

/// Asks what its arguments say, and answers with what it was answered.
fn ask(message: &Value) -> Answer {
    let state = text_at(message, "/params/requestState");
    match message.pointer("/params/inputResponses/question") {
        Some(answer) if state == Some(STATE) => content(&answer.to_string()),
        Some(_) => invalid("the state is not the one that was given"),
        None => Answer::Result(json!({
            "resultType": "input_required", "requestState": STATE,
            "inputRequests": { "question": message.pointer("/params/arguments") },
        })),
    }
}

fn tools(promises: bool) -> Value {
    let mut echo = tool("echo", "Answers with its text", &json!({ "text": { "type": "string" } }));
    if promises && let Some(echo) = echo.as_object_mut() {
        echo.insert("outputSchema".into(), json!({ "properties": { "length": { "type": "integer" } } }));
    }
    json!([
        echo,
        tool("big", "Answers with many letters", &json!({ "bytes": { "type": "integer", "minimum": 0 } })),
        tool("sleep", "Never answers", &json!({})),
    ])
}

fn tool(name: &str, description: &str, properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|map| map.keys()).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "name": name, "description": description, "inputSchema": schema })
}

fn content(text: &str) -> Answer {
    Answer::Result(json!({ "content": [{ "type": "text", "text": text }] }))
}

fn invalid(message: &'static str) -> Answer {
    Answer::Error(-32602, message, Value::Null)
}

fn unknown_method(method: &str) -> Answer {
    Answer::Error(-32601, "unknown method", method.into())
}

fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

fn to_size(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

fn tell_about_itself(options: &Options) -> io::Result<()> {
    if let Some(path) = &options.print_env {
        let line = |(name, value): (OsString, OsString)| {
            format!("{}={}\n", name.to_string_lossy(), value.to_string_lossy())
        };
        fs::write(path, env::vars_os().map(line).collect::<Vec<_>>().concat())?;
    }
    if let Some(path) = &options.print_args {
        let line = |argument: OsString| format!("{}\n", argument.to_string_lossy());
        fs::write(path, env::args_os().skip(1).map(line).collect::<Vec<_>>().concat())?;
    }
    Ok(())
}

fn ignore_signals() -> io::Result<()> {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

fn start_grandchild(pid_file: &Path) -> io::Result<()> {
    let mut child = Command::new(env::current_exe()?).arg("--idle").stdin(Stdio::null()).spawn()?;
    fs::write(pid_file, child.id().to_string())?;
    thread::spawn(move || child.wait());
    Ok(())
}

/// The flags of a process that is idle in a session of its own.
const ALONE: [&str; 2] = ["--idle", "--new-session"];

fn start_detached(pid_file: &Path, how: Detach) -> Fallible<()> {
    let mut command = Command::new(env::current_exe()?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    match how {
        Detach::Session => command.args(ALONE),
        Detach::Bare => command.args(ALONE).env_clear(),
        Detach::Daemon => command.arg("--fork-off"),
    };
    let mut child = command.spawn()?;
    let mut pid = String::new();
    BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut pid)?;
    if how == Detach::Daemon {
        child.wait()?;
    }
    fs::write(pid_file, pid.trim())?;
    Ok(())
}

fn flood(output: impl Write, bytes: usize) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    let line = format!("{}\n", ".".repeat(63));
    for _ in 0..bytes.div_ceil(line.len()) {
        output.write_all(line.as_bytes())?;
    }
    output.write_all(b"flood ends\n")?;
    output.flush()
}

fn write_whole(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

fn hang() -> u8 {
    thread::sleep(LONGEST_LIFE);
    102
}
