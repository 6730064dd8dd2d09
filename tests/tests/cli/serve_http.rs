//! The built-in server over HTTP, as it is started by hand.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Child,
};

use serde_json::json;

use crate::harness::{Folder, command, run, wait};

/// Starts a server; returns it with its address and path.
fn served(words: &[&str]) -> (Child, String, String) {
    let mut child =
        command(&[&["--quiet", "serve", "--http", "127.0.0.1:0", "--demo"], words].concat()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let rest = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
    let (address, path) = rest.split_once('/').unwrap();
    (child, address.to_owned(), format!("/{path}"))
}

/// Lists the tools; returns the whole response.
fn list(address: &str, path: &str, headers: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[cfg(unix)]
#[test]
fn it_prints_its_address_serves_there_and_ends_in_order() {
    let (mut child, address, path) = served(&[]);
    let listed = list(&address, &path, "");
    assert!(listed.starts_with("HTTP/1.1 200") && listed.contains("\"pixel\""), "{listed}");
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    assert_eq!(wait(&mut child).code(), Some(0));
}

/// Makes a file its owner's alone.
fn own(file: &str) {
    #[cfg(unix)]
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    #[cfg(not(unix))]
    let _ = file;
}

#[test]
fn a_token_file_keeps_strangers_out() {
    let folder = Folder::new("tokens");
    let file = folder.file("tokens");
    std::fs::write(&file, "0123456789abcdef ada\n").unwrap();
    own(&file);
    let (mut child, address, path) = served(&["--token-file", &file]);
    assert!(list(&address, &path, "").starts_with("HTTP/1.1 401"));
    assert!(list(&address, &path, "authorization: Bearer 0123456789abcdef\r\n").starts_with("HTTP/1.1 200"));
    child.kill().unwrap();
    wait(&mut child);
}

#[test]
fn what_cannot_be_listened_on_is_said_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (words, message) in [
        (vec!["serve", "--demo", "--http", &address], "another program listens there"),
        (vec!["serve", "--demo", "--http", "nonsense"], "`nonsense` is no address to listen on"),
        (vec!["serve", "--demo", "--http", "192.0.2.1:0"], "this machine has no such address"),
        (vec!["serve", "--demo", "--http", "0", "--token-file", "/no/such"], "token file /no/such"),
    ] {
        let run = run(&words).ends_with(2);
        assert!(run.err.contains(message) && !run.err.contains("panicked"), "{words:?}: {}", run.err);
    }
    let both = run(&["serve", "--demo", "--stdio", "--http", "0"]).ends_with(2);
    assert!(both.err.contains("--stdio"), "{}", both.err);
    let without = run(&["serve", "--demo", "--token-file", "x"]).ends_with(2);
    assert!(without.err.contains("--http"), "{}", without.err);
}
