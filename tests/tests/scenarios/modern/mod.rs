//! The modern era: 2026-07-28.

mod cache;
mod checks;
mod negotiation;
mod requests;
mod rounds;
mod streams;

use selvedge_core::{ClientConfig, client::EraPolicy, json::RawJson};
use selvedge_tests::world::{NORMAL, changed};

fn json(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

fn policy(era: EraPolicy) -> ClientConfig {
    changed(|config| config.era = era)
}

/// Returns the member of a message that is an object or a string, as its text.
fn member(message: &str, path: &[&str]) -> Option<String> {
    let message = json(message);
    let mut view = message.view();
    for name in path {
        view = view.get(name)?;
    }
    Some(view.as_str().to_owned())
}
