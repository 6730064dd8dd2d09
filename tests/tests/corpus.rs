//! Replays the corpus of every fuzz target.

use std::{fs, path::PathBuf};

use selvedge_tests::fuzz;

#[expect(clippy::panic, reason = "a corpus that cannot be read is a failure")]
fn replay(target: &str, run: fn(&[u8])) {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "corpus", target].iter().collect();
    let Ok(entries) = fs::read_dir(&folder) else { panic!("no corpus at {}", folder.display()) };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(files.len() >= 5, "the corpus of {target} is small");
    for file in files {
        let Ok(data) = fs::read(&file) else { panic!("cannot read {}", file.display()) };
        println!("{}", file.display());
        run(&data);
        for len in 0..data.len().min(512) {
            run(data.get(..len).unwrap_or_default());
        }
    }
}

#[test]
fn the_corpus_of_frame_holds() {
    replay("frame", fuzz::frame);
}

#[test]
fn the_corpus_of_jsonrpc_holds() {
    replay("jsonrpc", fuzz::jsonrpc);
}

#[test]
fn the_corpus_of_client_holds() {
    replay("client", fuzz::client);
}

#[test]
fn the_corpus_of_json_holds() {
    replay("json", fuzz::json);
}

#[test]
fn the_corpus_of_generator_holds() {
    replay("generator", fuzz::generator);
}

#[test]
fn the_corpus_of_http_holds() {
    replay("http", fuzz::http);
}

#[test]
fn the_corpus_of_comments_holds() {
    replay("comments", fuzz::comments);
}
