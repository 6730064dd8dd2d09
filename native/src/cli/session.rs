//! What every command needs of its server: how to start it, and the session once it runs.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use selvedge::{
    Connection, Options, Prepared, Server, Trace,
    core::{
        ClientConfig, Tolerance, Verdict, Violation,
        client::{Event, Side, Unchecked},
        protocol::Handshake,
    },
};

use super::{Command, Failure, Global, Output, meter::Meter, text};

/// How to start the server.
pub(super) struct Plan {
    pub(super) server: Server,
    pub(super) options: Options,
    pub(super) seen: Arc<Seen>,
}

impl Plan {
    pub(super) fn new(global: &Global, command: &Command) -> Result<Self, Failure> {
        let mut server = match target(command) {
            Some(server) => {
                let mut words = server.iter().cloned();
                Server::new(words.next().unwrap_or_default(), words)
            }
            None => own_demo()?,
        };
        server.cwd.clone_from(&global.cwd);
        server.leave_detached = global.leave_detached;
        server.env = global.env.iter().map(variable).collect::<Result<_, _>>()?;
        let mut client = ClientConfig::default();
        client.framing = global.framing.into();
        client.era = global.era.into();
        client.tolerance = if global.strict { Tolerance::Strict } else { Tolerance::Tolerant };
        if let Some(timeout) = global.timeout {
            client.handshake_timeout = timeout;
            client.patience.idle = timeout;
            client.patience.total = client.patience.total.max(timeout);
        }
        let trace = match &global.trace {
            Some(path) => {
                let trace = Trace::create(path);
                Some(trace.map_err(|error| Failure::file(&path.display().to_string(), &error))?)
            }
            None => None,
        };
        let seen = Arc::new(Seen::new(client.tolerance));
        let sink = seen.clone();
        let options = Options {
            client,
            trace,
            on_event: Some(Arc::new(move |event| sink.take(event))),
            ..Options::default()
        };
        Ok(Self { server, options, seen })
    }
}

fn target(command: &Command) -> Option<&[OsString]> {
    let target = match command {
        Command::Generate(generate) => return Some(&generate.source.server),
        Command::Surface(surface) => return Some(&surface.source.server),
        Command::Tools(only) | Command::Resources(only) | Command::Prompts(only) | Command::Inspect(only) => {
            &only.target
        }
        Command::Call(call) => &call.target,
        Command::Read(read) => &read.target,
        Command::Prompt(prompt) => &prompt.target,
        Command::Ping(ping) => &ping.target,
        Command::Demo | Command::Serve(_) => return None,
    };
    Some(&target.server)
}

fn own_demo() -> Result<Server, Failure> {
    let own = std::env::current_exe().map_err(|error| Failure::file("this program", &error))?;
    Ok(Server::new(own, ["serve", "--demo"]))
}

/// Reads `NAME=VALUE`, or `NAME` for a variable that is passed through.
fn variable(pair: &OsString) -> Result<(OsString, OsString), Failure> {
    let text = pair.to_string_lossy();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(OsString::from(value))),
        None => (&*text, std::env::var_os(pair)),
    };
    if name.is_empty() {
        return Err(Failure::usage(format!("`--env {text}` names no variable")));
    }
    let Some(value) = value else {
        return Err(Failure::usage(format!("`--env {name}`: the variable is not set here"))
            .hint(format!("`--env {name}=VALUE` sets it for the server")));
    };
    Ok((name.into(), value))
}

fn withheld(server: &Server) -> Vec<String> {
    let is_declared = |name: &OsString| server.env.iter().any(|(own, _)| own == name);
    let names = Server::withheld().into_iter().filter(|name| !is_declared(name));
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Returns the entries of `PATH` that a server does not see; an empty one is shown as such.
pub(super) fn left_out_of_path(server: &Server) -> Vec<String> {
    let show = |entry: PathBuf| {
        if entry.as_os_str().is_empty() { "\"\"".into() } else { entry.display().to_string() }
    };
    server.left_out_of_path().into_iter().map(show).collect()
}

/// What was seen of a server while it was used.
#[derive(Debug)]
pub(super) struct Seen {
    tolerance: Tolerance,
    violations: Mutex<BTreeMap<String, Counted>>,
    unchecked: Mutex<Vec<Unchecked>>,
}

/// How often one violation was seen, and what followed.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) count: u64,
    pub(super) verdict: Verdict,
}

impl Seen {
    /// Kinds of violations that are told apart; what a server can vary must not fill the memory.
    const MAX_KINDS: usize = 200;
    /// Notes on what was not checked; a command makes few calls.
    const MAX_UNCHECKED: usize = 8;

    const fn new(tolerance: Tolerance) -> Self {
        Self { tolerance, violations: Mutex::new(BTreeMap::new()), unchecked: Mutex::new(Vec::new()) }
    }

    fn take(&self, event: &Event) {
        match event {
            Event::PeerViolated(violation) => self.violation(violation),
            Event::Unchecked(unchecked) => {
                let mut all = self.unchecked.lock().unwrap_or_else(PoisonError::into_inner);
                if all.len() < Self::MAX_UNCHECKED {
                    all.push(unchecked.clone());
                }
            }
            _ => {}
        }
    }

    fn violation(&self, violation: &Violation) {
        let mut violations = self.violations.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kind = match violation {
            // Their lengths are all that tells most of them apart.
            Violation::Text { .. } => "a line is text, not a message".to_owned(),
            other => other.to_string(),
        };
        if violations.len() >= Self::MAX_KINDS && !violations.contains_key(&kind) {
            "others".clone_into(&mut kind);
        }
        let verdict = violation.verdict(self.tolerance);
        violations.entry(kind).or_insert(Counted { count: 0, verdict }).count += 1;
    }

    /// Returns what the server did against the protocol, each kind once.
    pub(super) fn violations(&self) -> Vec<(String, Counted)> {
        let violations = self.violations.lock().unwrap_or_else(PoisonError::into_inner);
        violations.iter().map(|(kind, counted)| (kind.clone(), counted.clone())).collect()
    }
}

/// A session with the server.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) connection: Connection,
    pub(super) handshake: Handshake,
    pub(super) connected_after: Duration,
    /// The variables of ours that the server does not see.
    pub(super) withheld: Vec<String>,
    /// The entries of `PATH` that the server does not see.
    pub(super) left_out_of_path: Vec<String>,
    pub(super) seen: Arc<Seen>,
    pub(super) output: &'a Output,
}

impl<'a> Session<'a> {
    pub(super) async fn connect(
        prepared: Prepared,
        server: &Server,
        seen: Arc<Seen>,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        let started = Instant::now();
        let meter = Meter::new(output, format!("starting {}", text::one_line(&server.name())));
        let connected = meter.watch(prepared.connect()).await;
        let connection = connected.map_err(|error| Failure::of_connect(error, server))?;
        // A connection that is returned has shaken hands.
        let handshake = connection.handshake().cloned().ok_or_else(|| Failure::bug(&"no handshake"))?;
        let connected_after = started.elapsed();
        let (withheld, left_out_of_path) = (withheld(server), left_out_of_path(server));
        Ok(Self { connection, handshake, connected_after, withheld, left_out_of_path, seen, output })
    }

    /// Waits for an answer, with a sign of life on a terminal once that takes long.
    pub(super) async fn wait<T, E>(
        &self,
        what: &str,
        answer: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        Ok(Meter::new(self.output, what.to_owned()).watch(answer).await?)
    }

    /// Says by the way what of a call was not checked against the schemas of its tool.
    pub(super) fn tell_unchecked(&self) {
        let unchecked =
            std::mem::take(&mut *self.seen.unchecked.lock().unwrap_or_else(PoisonError::into_inner));
        for Unchecked { tool, side, reasons } in unchecked {
            let side = match side {
                Side::Arguments => "arguments",
                Side::Result => "result",
            };
            let tool = text::one_line(&tool);
            let (first, more) = match reasons.split_first() {
                Some((first, rest)) if first.pointer.is_empty() && first.keyword.is_empty() => {
                    (first.reason.clone(), rest.len())
                }
                Some((first, rest)) => (first.to_string(), rest.len()),
                None => continue,
            };
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            let reason = text::one_line(&first);
            self.output.note(&format!("the {side} of `{tool}` cannot be checked in full: {reason}{more}"));
        }
    }

    /// Says by the way that the server writes what is no message, which costs people hours.
    pub(super) async fn tell_stray(&self) {
        let Some(inspection) = self.connection.inspect().await else { return };
        if inspection.stray_lines > 0 {
            let lines = inspection.stray_lines;
            self.output.note(&format!(
                "the server wrote {lines} {} to its output that {}; `selvedge inspect` shows more",
                if lines == 1 { "line" } else { "lines" },
                if lines == 1 { "is no message" } else { "are no messages" },
            ));
        }
    }
}
