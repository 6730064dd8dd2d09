//! Runs the binary and waits for what it does, never for time to pass.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::OnceLock,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use selvedge_tests::build;
use serde_json::Value;

/// What takes longer than this has gone wrong.
const PATIENCE: Duration = Duration::from_mins(1);

/// The fake server.
pub(crate) const STUBBORN: &str = env!("CARGO_BIN_EXE_stubborn");

/// Returns the binary, built by the cargo that built the test, in the same folder.
pub(crate) fn selvedge() -> &'static str {
    static BINARY: OnceLock<String> = OnceLock::new();
    BINARY.get_or_init(|| {
        let profile = build(&["-p", "selvedge", "--bin", "selvedge"]);
        let name = format!("selvedge{}", env::consts::EXE_SUFFIX);
        profile.join(name).into_os_string().into_string().unwrap()
    })
}

/// How a run ended.
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Checks the exit code, and that nothing that could drive a terminal was written on stderr.
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "out: {}\nerr: {}", self.out, self.err);
        assert!(!self.err.contains('\u{1b}'), "{}", self.err);
        self
    }

    /// Reads the output as the one JSON document that it must be.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "{}", self.out);
        serde_json::from_str(&self.out).unwrap()
    }
}

/// A run that is under way.
pub(crate) struct Running {
    child: Child,
    out: Option<JoinHandle<String>>,
    err: Option<JoinHandle<String>>,
}

/// Starts the binary with these words.
pub(crate) fn start(words: &[&str]) -> Running {
    Running::start(command(words))
}

/// Runs the binary with these words to its end.
pub(crate) fn run(words: &[&str]) -> Run {
    start(words).end()
}

/// Runs the binary with these words, and a text on its standard input.
pub(crate) fn run_with_input(words: &[&str], input: &str) -> Run {
    let mut command = command(words);
    command.stdin(Stdio::piped());
    let mut running = Running::start(command);
    running.child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    running.end()
}

/// Runs the binary against its own demo server.
pub(crate) fn run_demo(words: &[&str]) -> Run {
    run(&[words, &["--", selvedge(), "serve", "--demo"]].concat())
}

/// Runs the binary against the stubborn fake with these flags.
pub(crate) fn run_stubborn(words: &[&str], flags: &[&str]) -> Run {
    run(&[words, &["--", STUBBORN], flags].concat())
}

pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(selvedge());
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let out = child.stdout.take().map(drain);
        let err = child.stderr.take().map(drain);
        Self { child, out, err }
    }

    /// Sends a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    pub(crate) fn end(mut self) -> Run {
        let status = wait(&mut self.child);
        let text =
            |stream: Option<JoinHandle<String>>| stream.map_or_else(String::new, |it| it.join().unwrap());
        Run { status, out: text(self.out.take()), err: text(self.err.take()) }
    }
}

fn drain(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

/// Waits for the end of a process.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let mut status = None;
    let has_ended = poll(|| {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    if !has_ended {
        child.kill().unwrap();
        panic!("the program does not end");
    }
    status.unwrap()
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl FnMut() -> bool) {
    assert!(poll(is_so), "{what}: not within {PATIENCE:?}");
}

fn poll(mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if is_so() {
            return true;
        }
        thread::sleep(Duration::from_millis(2));
    }
    false
}

/// A folder of one test. Its path stands in the command of every process that the test starts with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).into_os_string().into_string().unwrap()
    }

    /// Returns the processes whose commands name the folder.
    pub(crate) fn processes(&self) -> Vec<String> {
        let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
        let commands = all.filter_map(|entry| {
            let command = fs::read(entry.unwrap().path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&command).replace('\0', " "))
        });
        let own = self.0.to_str().unwrap();
        commands.filter(|command| command.contains(own)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns whether a process runs; one that waits to be reaped does not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

pub(crate) fn read(path: impl AsRef<OsStr>) -> String {
    fs::read_to_string(Path::new(path.as_ref())).unwrap_or_default()
}
