//! `selvedge inspect`: what a server says of itself, how fast it is, and everything it does wrong.

use std::time::{Duration, Instant};

use selvedge::{
    Error, Inspection,
    core::{
        Verdict,
        client::{Evidence, RetirementError},
        protocol::{Listing, Quarantined},
    },
};
use serde::Serialize;

use super::{
    Exit, Failure, Output, Session,
    json::{Unusable, Verbatim},
    output::{BAD, BOLD, DIM, GOOD, WARN},
    ping::{as_millis, millis},
    session::Counted,
    text::{cut, one_line, pad, safe},
};

/// How many lines of a server's output are shown.
const MAX_LINES: usize = 20;

/// One listing of the server: how it went.
struct Listed {
    what: &'static str,
    time: Duration,
    /// How many entries can be used, or why there is no listing.
    outcome: Result<(usize, Vec<Quarantined>), String>,
}

/// Everything there is to say.
struct Findings {
    listed: Vec<Listed>,
    /// What the connection showed while the session lasted.
    inspection: Option<Inspection>,
    violations: Vec<(String, Counted)>,
    stderr_tail: String,
    end: Result<Evidence, RetirementError>,
    /// How many processes outside the server's group were ended with it.
    stragglers: usize,
}

/// Uses everything that the server offers once, then tells what there was to see.
pub(super) async fn inspect(session: &Session<'_>) -> Result<Exit, Failure> {
    let listed = list_all(session).await;
    let inspection = session.connection.inspect().await;
    let end = session.connection.shutdown().await;
    let findings = Findings {
        listed,
        inspection,
        violations: session.seen.violations(),
        stderr_tail: session.connection.stderr_tail().unwrap_or_default().to_owned(),
        end,
        stragglers: session.connection.stragglers().unwrap_or_default(),
    };
    if session.output.is_json {
        session.output.document(&document(session, &findings))?;
    } else {
        session.output.print(report(session, &findings))?;
    }
    let has_failed = findings.listed.iter().any(|listed| listed.outcome.is_err());
    Ok(if has_failed { Exit::ServerFailed } else { Exit::Done })
}

async fn list_all(session: &Session<'_>) -> Vec<Listed> {
    let connection = &session.connection;
    let offers = &session.handshake.capabilities;
    let mut listed = Vec::new();
    if offers.tools {
        listed
            .push(timed("tools", session.wait("listing the tools", counted(connection.list_tools()))).await);
    }
    if offers.resources {
        let listing = session.wait("listing the resources", counted(connection.list_resources()));
        listed.push(timed("resources", listing).await);
        let listing = session.wait("listing the templates", counted(connection.list_resource_templates()));
        let templates = timed("templates", listing).await;
        // Templates have no capability of their own: a server without any may not know the method.
        if templates.outcome.is_ok() {
            listed.push(templates);
        }
    }
    if offers.prompts {
        let listing = session.wait("listing the prompts", counted(connection.list_prompts()));
        listed.push(timed("prompts", listing).await);
    }
    listed
}

async fn counted<T>(
    listing: impl Future<Output = Result<Listing<T>, Error>>,
) -> Result<(usize, Vec<Quarantined>), Error> {
    listing.await.map(|listing| (listing.items.len(), listing.quarantined))
}

async fn timed(
    what: &'static str,
    listing: impl Future<Output = Result<(usize, Vec<Quarantined>), Failure>>,
) -> Listed {
    let started = Instant::now();
    let outcome = listing.await.map_err(|failure| failure.message().to_owned());
    Listed { what, time: started.elapsed(), outcome }
}

fn report(session: &Session<'_>, findings: &Findings) -> String {
    let mut lines = Lines { output: session.output, out: String::new() };
    about(&mut lines, session);
    for listed in &findings.listed {
        let outcome = match &listed.outcome {
            Ok((count, _)) => format!("{count} in {}", millis(listed.time)),
            Err(message) => session.output.paint(BAD, &one_line(message)),
        };
        lines.fact(listed.what, &outcome);
    }
    lines.fact("start", &starts(session, findings.inspection.as_ref()));
    let end = match &findings.end {
        Ok(Evidence::Exited(status)) => status.to_string(),
        Ok(_) => "never started".to_owned(),
        Err(error) => session.output.paint(BAD, &error.to_string()),
    };
    lines.fact("end", &end);
    if findings.stragglers > 0 {
        let what = format!("{} outside its process group, ended with it", processes(findings.stragglers));
        lines.fact("daemons", &session.output.paint(WARN, &what));
    }
    faults(&mut lines, findings);
    lines.block("what it wrote on stderr", Cut::Head, findings.stderr_tail.lines());
    lines.withheld(&session.withheld);
    let left_out = session.left_out_of_path.iter();
    lines.block("entries of PATH that it does not see", Cut::Tail, left_out);
    lines.out
}

/// Returns a number of processes for people.
pub(super) fn processes(count: usize) -> String {
    format!("{count} {}", if count == 1 { "process" } else { "processes" })
}

fn about(lines: &mut Lines<'_>, session: &Session<'_>) {
    let handshake = &session.handshake;
    let server = &handshake.server;
    let title = server.title.as_ref().map(|title| format!(" ({})", one_line(title))).unwrap_or_default();
    let name = format!("{} {}", one_line(&server.name), one_line(&server.version));
    lines.fact("server", &format!("{}{title}", session.output.paint(BOLD, name.trim())));
    lines.fact("revision", handshake.revision.as_str());
    let offers: Vec<_> =
        handshake.capabilities.raw.view().members().map(|(name, _)| name.to_text()).collect();
    lines.fact("offers", &one_line(&offers.join(", ")));
    if let Some(instructions) = &handshake.instructions {
        lines.block("what it says to models", Cut::Tail, instructions.lines());
    }
}

fn starts(session: &Session<'_>, inspection: Option<&Inspection>) -> String {
    let opened = inspection.and_then(|inspection| inspection.opened_after).unwrap_or_default();
    let handshake = session.connected_after.saturating_sub(opened);
    format!("process {}, handshake {}", millis(opened), millis(handshake))
}

fn faults(lines: &mut Lines<'_>, findings: &Findings) {
    let output = lines.output;
    for listed in &findings.listed {
        let unusable = listed.outcome.iter().flat_map(|(_, unusable)| unusable);
        lines.block(
            &format!("{} that cannot be used", listed.what),
            Cut::Tail,
            unusable.map(|entry| {
                let name = entry.name.clone().unwrap_or_else(|| format!("number {}", entry.index + 1));
                format!("{name}: {}", entry.reason)
            }),
        );
    }
    if findings.violations.is_empty() {
        lines.fact("faults", &output.paint(GOOD, "none"));
    }
    for (kind, counted) in &findings.violations {
        let what = match counted.verdict {
            Verdict::Ignore => "passed over",
            Verdict::Reply(_) => "answered with an error",
            Verdict::Close => "ended the session",
        };
        let times = if counted.count == 1 { String::new() } else { format!("{} times: ", counted.count) };
        lines.fact("fault", &format!("{}{} ({what})", times, output.paint(WARN, &one_line(kind))));
    }
    if let Some(inspection) = &findings.inspection {
        lines.block("what it wrote that is no message", Cut::Head, inspection.stray_samples.iter());
    }
}

/// What is left off where there is too much.
#[derive(Clone, Copy)]
enum Cut {
    Head,
    Tail,
}

/// The lines of a report.
struct Lines<'a> {
    output: &'a Output,
    out: String,
}

impl Lines<'_> {
    fn fact(&mut self, what: &str, fact: &str) {
        let mut label = String::new();
        pad(&mut label, what, 11);
        self.out.push_str(&self.output.paint(DIM, &label));
        self.out.push_str(if fact.is_empty() { "nothing" } else { fact });
        self.out.push('\n');
    }

    /// Appends some lines under a head, if there are any.
    fn block(&mut self, what: &str, part: Cut, lines: impl Iterator<Item = impl AsRef<str>>) {
        let lines: Vec<_> = lines.collect();
        let left_off = lines.len().saturating_sub(MAX_LINES);
        let (shown, which) = match part {
            Cut::Head => (lines.get(left_off..), "last"),
            Cut::Tail => (lines.get(..lines.len() - left_off), "first"),
        };
        let Some(shown) = shown.filter(|shown| !shown.is_empty()) else { return };
        let more = if left_off > 0 {
            format!(" (the {which} {MAX_LINES} lines of {})", lines.len())
        } else {
            String::new()
        };
        self.out.push_str(&self.output.paint(DIM, &format!("{what}{more}:")));
        self.out.push('\n');
        for line in shown {
            let line = safe(line.as_ref());
            let room = self.output.columns.map_or(usize::MAX, |columns| columns.saturating_sub(4));
            self.out.push_str("    ");
            self.out.push_str(&cut(&line, room));
            self.out.push('\n');
        }
    }

    fn withheld(&mut self, names: &[String]) {
        /// The names stand in lines of this length.
        const MAX_LINE_BYTES: usize = 76;
        let mut lines: Vec<String> = Vec::new();
        for name in names.iter().map(|name| one_line(name)) {
            match lines.last_mut().filter(|line| line.len() + name.len() < MAX_LINE_BYTES) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(&name);
                }
                None => lines.push(name),
            }
        }
        self.block(
            &format!("{} of your variables are withheld from it", names.len()),
            Cut::Tail,
            lines.iter(),
        );
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    handshake: Verbatim<'a>,
    revision: &'a str,
    timings_ms: Timings,
    listings: Vec<ListedDocument<'a>>,
    stray: Stray<'a>,
    violations: Vec<ViolationDocument<'a>>,
    stderr: &'a str,
    exit: Option<ExitDocument>,
    stragglers: usize,
    withheld: &'a [String],
    left_out_of_path: &'a [String],
}

#[derive(Serialize)]
struct Timings {
    start: f64,
    handshake: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedDocument<'a> {
    what: &'a str,
    time_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    unusable: Vec<Unusable<'a>>,
}

#[derive(Default, Serialize)]
struct Stray<'a> {
    lines: usize,
    bytes: usize,
    samples: &'a [String],
}

#[derive(Serialize)]
struct ViolationDocument<'a> {
    message: &'a str,
    count: u64,
    verdict: &'a str,
}

#[derive(Serialize)]
struct ExitDocument {
    code: Option<i32>,
    signal: Option<i32>,
}

fn document<'a>(session: &'a Session<'_>, findings: &'a Findings) -> Document<'a> {
    let inspection = findings.inspection.as_ref();
    let opened = inspection.and_then(|inspection| inspection.opened_after).unwrap_or_default();
    let exit = match findings.end {
        Ok(Evidence::Exited(status)) => Some(ExitDocument { code: status.code, signal: status.signal }),
        _ => None,
    };
    Document {
        handshake: Verbatim(session.handshake.raw.view()),
        revision: session.handshake.revision.as_str(),
        timings_ms: Timings {
            start: as_millis(opened),
            handshake: as_millis(session.connected_after.saturating_sub(opened)),
        },
        listings: findings.listed.iter().map(listed_document).collect(),
        stray: inspection.map_or_else(Stray::default, |inspection| Stray {
            lines: inspection.stray_lines,
            bytes: inspection.stray_bytes,
            samples: &inspection.stray_samples,
        }),
        violations: findings.violations.iter().map(violation_document).collect(),
        stderr: &findings.stderr_tail,
        exit,
        stragglers: findings.stragglers,
        withheld: &session.withheld,
        left_out_of_path: &session.left_out_of_path,
    }
}

fn listed_document(listed: &Listed) -> ListedDocument<'_> {
    let outcome = listed.outcome.as_ref();
    ListedDocument {
        what: listed.what,
        time_ms: as_millis(listed.time),
        count: outcome.ok().map(|(count, _)| *count),
        error: outcome.err().map(String::as_str),
        unusable: outcome.into_iter().flat_map(|(_, unusable)| unusable.iter().map(Unusable::from)).collect(),
    }
}

fn violation_document((message, counted): &(String, Counted)) -> ViolationDocument<'_> {
    let verdict = match counted.verdict {
        Verdict::Ignore => "ignore",
        Verdict::Reply(_) => "reply",
        Verdict::Close => "close",
    };
    ViolationDocument { message, count: counted.count, verdict }
}
