//! Where output goes: answers to standard output, notes to standard error.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use selvedge::core::json::push_compact;
use serde::Serialize;
use tokio::sync::oneshot;

use super::{Failure, args::Global, text};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default().bold();

/// Whatever is printed goes through here.
///
/// A thread of its own writes to standard output, so that a reader who takes his time does not keep the
/// session from answering, or from being ended.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
#[derive(Debug)]
pub(super) struct Output {
    pub(super) is_json: bool,
    pub(super) is_quiet: bool,
    /// The width of the terminal; `None` where standard output is none.
    pub(super) columns: Option<usize>,
    is_colored: bool,
    /// Control characters of servers are escaped wherever the output goes.
    escapes: bool,
    lines: mpsc::Sender<String>,
    is_closed: Arc<AtomicBool>,
}

/// The end of the printing thread.
pub(super) type Printed = oneshot::Receiver<io::Result<()>>;

impl Output {
    pub(super) fn new(global: &Global) -> io::Result<(Self, Printed)> {
        ColorChoice::from(global.color).write_global();
        let is_colored = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let columns = io::stdout().is_terminal().then(|| {
            let size = terminal_size::terminal_size_of(io::stdout());
            size.map_or(100, |(width, _)| usize::from(width.0)).max(40)
        });
        let (lines, inbox) = mpsc::channel::<String>();
        let (tell, printed) = oneshot::channel();
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = is_closed.clone();
        thread::Builder::new().name("selvedge-printer".to_owned()).spawn(move || {
            let result = print_all(&inbox, is_colored);
            closed.store(result.is_err(), Ordering::Relaxed);
            drop(inbox);
            // Who is in a hurry does not wait for the last line.
            let _ = tell.send(result);
        })?;
        // A terminal, and what is coloured for one, must not be driven by what servers say.
        let escapes = global.escape || columns.is_some() || is_colored;
        let output = Self {
            is_json: global.json,
            is_quiet: global.quiet,
            columns,
            is_colored,
            escapes,
            lines,
            is_closed,
        };
        Ok((output, printed))
    }

    /// Prints a text for people.
    pub(super) fn print(&self, text: impl Into<String>) -> Result<(), Failure> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Failure::output_closed());
        }
        self.lines.send(text.into()).map_err(|_| Failure::output_closed())
    }

    /// Prints the one document for programs.
    pub(super) fn document(&self, document: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(document).map_err(|error| Failure::bug(&error))?;
        let mut line = String::with_capacity(json.len() + 1);
        if self.columns.is_some() {
            line.push_str(&text::safe_json(&text::pretty(&json)));
        } else {
            push_compact(&mut line, &json);
            if self.escapes {
                line = text::safe_json(&line).into_owned();
            }
        }
        line.push('\n');
        self.print(line)
    }

    /// Makes a longer text of a server fit for where it goes: a terminal must not be driven by it, a file gets
    /// it untouched.
    pub(super) fn foreign(&self, text: &str) -> String {
        if self.escapes { text::safe(text).into_owned() } else { text.to_owned() }
    }

    /// Does the same for a JSON text, which stays JSON of the same meaning.
    pub(super) fn foreign_json(&self, json: &str) -> String {
        if self.escapes { text::safe_json(json).into_owned() } else { json.to_owned() }
    }

    /// Puts a style on a text where the output has colours.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.is_colored { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Says something by the way.
    pub(super) fn note(&self, text: &str) {
        if !self.is_quiet {
            anstream::eprintln!("{DIM}{}{DIM:#}", text::safe(text));
        }
    }

    /// Says something that may be wrong.
    pub(super) fn warn(&self, text: &str) {
        if !self.is_quiet {
            anstream::eprintln!("{WARN}warning:{WARN:#} {}", text::safe(text));
        }
    }

    /// Returns whether a meter may move on standard error.
    pub(super) fn has_meter(&self) -> bool {
        !self.is_quiet && io::stderr().is_terminal()
    }

    /// Returns whether what is said by the way is coloured.
    pub(super) fn has_colored_notes() -> bool {
        AutoStream::choice(&io::stderr()) != ColorChoice::Never
    }
}

fn print_all(inbox: &mpsc::Receiver<String>, is_colored: bool) -> io::Result<()> {
    // Where there are no colours, the bytes of servers must pass as they are.
    let choice = if cfg!(windows) && is_colored { ColorChoice::Always } else { ColorChoice::AlwaysAnsi };
    while let Ok(text) = inbox.recv() {
        let mut out = AutoStream::new(io::stdout().lock(), choice);
        out.write_all(text.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}
