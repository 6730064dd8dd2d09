//! Real servers, installed by `scripts/servers` at fixed versions.

#![cfg(test)]

mod everything;
mod others;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::Duration,
};

use selvedge::{
    Connection, Error, Options, Server,
    core::{
        client::{CallError, Evidence, ExitStatus},
        protocol::{Listing, Tool},
    },
};

/// Returns where the servers are installed; installs them if nobody has.
fn servers() -> &'static Path {
    static SERVERS: OnceLock<PathBuf> = OnceLock::new();
    SERVERS.get_or_init(|| {
        if let Some(path) = std::env::var_os("SELVEDGE_SERVERS") {
            return path.into();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/servers");
        let run = Command::new("bash").arg(script).output().expect("bash");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
        said.lines().last().expect("the script names a folder").into()
    })
}

fn node(module: &str, args: &[&str]) -> Server {
    let mut server = Server::new("node", [servers().join("node_modules").join(module)]);
    server.args.extend(args.iter().map(Into::into));
    server
}

/// Options that give a server time to leave by itself on a busy machine.
fn patient() -> Options {
    let mut options = Options::default();
    options.client.close_grace = Duration::from_secs(5);
    options
}

async fn connect(server: Server) -> Connection {
    match Connection::prepare(server, patient()).connect().await {
        Ok(connection) => connection,
        Err(error) => panic!("{error}\n{}", error.stderr_tail),
    }
}

/// Ends a session and checks that the server left by itself.
async fn leaves(connection: Connection) {
    let left = Evidence::Exited(ExitStatus { code: Some(0), signal: None });
    assert_eq!(connection.shutdown().await, Ok(left));
}

fn names(listing: &Listing<Tool>) -> Vec<&str> {
    assert_eq!(listing.quarantined, []);
    listing.items.iter().map(|tool| tool.name.as_str()).collect()
}

fn call_error<T: std::fmt::Debug>(result: Result<T, Error>) -> CallError {
    match result {
        Err(Error::Call(error)) => error,
        other => panic!("not a failed call: {other:?}"),
    }
}

fn tool_failure<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match call_error(result) {
        CallError::ToolFailed(result) => result.text(),
        other => panic!("not a tool's failure: {other}"),
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> (i64, String) {
    match call_error(result) {
        CallError::Refused(error) => (error.code, error.message),
        other => panic!("not a refusal: {other}"),
    }
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("selvedge-interop-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        // Servers show paths with their links resolved.
        Self(path.canonicalize().expect("the folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
