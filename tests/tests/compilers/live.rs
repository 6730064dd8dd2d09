//! Listings as real servers give them, captured over their wires: they compile in every language.

use std::{path::PathBuf, process::Command};

use selvedge::{Connection, Server};
use selvedge_core::codegen::Profile;

use super::{compile_gleam, compile_python, compile_rust, compile_typescript, compilers, folder, here, run};

/// Returns where `scripts/servers` installs the servers.
fn servers() -> PathBuf {
    if let Some(path) = std::env::var_os("SELVEDGE_SERVERS") {
        return path.into();
    }
    let said = run(Command::new("bash").arg(here().join("../scripts/servers")));
    said.lines().last().unwrap().into()
}

/// Returns every server of the script, by a name that a module may have.
fn installed() -> Vec<(&'static str, Server)> {
    let servers = servers();
    let home = folder("live-home");
    let modules = servers.join("node_modules");
    let node = |path: &str| Server::new("node", [modules.join(path)]);
    let no_args = [""; 0];
    let mut everything = node("@modelcontextprotocol/server-everything/dist/index.js");
    everything.args.push("stdio".into());
    let mut filesystem = node("@modelcontextprotocol/server-filesystem/dist/index.js");
    filesystem.args.push(home.clone().into());
    let mut memory = node("@modelcontextprotocol/server-memory/dist/index.js");
    memory.env.push(("MEMORY_FILE_PATH".into(), home.join("memory.jsonl").into()));
    let mut runner = node("mcp-server-code-runner/dist/cli.js");
    runner.env.push(("TMPDIR".into(), home.clone().into()));
    let mut cortex =
        Server::new(modules.join("@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp"), no_args);
    cortex.env.push(("HOME".into(), home.into()));
    let python = servers.join("venv/bin/python");
    vec![
        ("everything", everything),
        ("filesystem", filesystem),
        ("memory", memory),
        ("code_runner", runner),
        ("cortex", cortex),
        ("effect", node("effect-mcp/main.cjs")),
        ("mcp_time", Server::new(modules.join("mcp-time-linux-x64/bin/mcp-time"), no_args)),
        ("python_time", Server::new(python, ["-m", "mcp_server_time", "--local-timezone", "UTC"])),
    ]
}

async fn capture(name: &str, server: Server) -> (String, String) {
    let connection = Connection::spawn(server).await.unwrap();
    let listing = connection.list_tools().await.unwrap();
    connection.shutdown().await.unwrap();
    assert_eq!(listing.quarantined, [], "{name}");
    assert!(!listing.items.is_empty(), "{name}");
    let tools: Vec<_> = listing.items.iter().map(|tool| tool.raw.as_str()).collect();
    (format!("live_{name}"), format!("[{}]", tools.join(",")))
}

#[tokio::test]
async fn the_listings_of_real_servers_compile_in_every_language() {
    let Some(compilers) = compilers() else { return };
    let mut listings = Vec::new();
    for (name, server) in installed() {
        listings.push(capture(name, server).await);
    }
    let count = listings.len();
    assert_eq!(compile_typescript(&compilers, "live-typescript", &listings), count);
    assert_eq!(compile_python(&compilers, "live-python", &listings), count);
    assert_eq!(compile_rust("live-rust", &listings), count);
    assert_eq!(compile_gleam(&compilers, "live-gleam-loom", &listings, Profile::Loom), count);
    assert_eq!(compile_gleam(&compilers, "live-gleam-typed", &listings, Profile::Typed), count);
}
