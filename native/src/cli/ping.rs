//! `selvedge ping`.

use std::time::{Duration, Instant};

use selvedge::{Error, core::protocol::Era};
use serde::Serialize;

use super::{Exit, Failure, Session};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pings {
    count: usize,
    times_ms: Vec<f64>,
    min_ms: f64,
    median_ms: f64,
    max_ms: f64,
}

/// Pings the server some times and prints how long each took.
pub(super) async fn ping(session: &Session<'_>, count: u32) -> Result<Exit, Failure> {
    let mut times = Vec::new();
    for at in 1..=count {
        let started = Instant::now();
        session.wait("pinging", sign_of_life(session)).await?;
        let time = started.elapsed();
        times.push(time);
        if !session.output.is_json {
            session.output.print(format!("answer {at} of {count} after {}\n", millis(time)))?;
        }
    }
    session.tell_stray().await;
    let mut sorted = times.clone();
    sorted.sort();
    let at = |at: usize| sorted.get(at).copied().unwrap_or_default();
    let (min, median, max) = (at(0), at((sorted.len() - 1) / 2), at(sorted.len() - 1));
    if session.output.is_json {
        session.output.document(&Pings {
            count: times.len(),
            times_ms: times.iter().copied().map(as_millis).collect(),
            min_ms: as_millis(min),
            median_ms: as_millis(median),
            max_ms: as_millis(max),
        })?;
    } else {
        let (min, median, max) = (millis(min), millis(median), millis(max));
        session.output.print(format!("fastest {min}, median {median}, slowest {max}\n"))?;
    }
    Ok(Exit::Done)
}

/// Asks for what costs a server next to nothing; the modern era has no pings.
async fn sign_of_life(session: &Session<'_>) -> Result<(), Error> {
    match session.handshake.revision.era() {
        Era::Legacy => session.connection.ping().await,
        Era::Modern => session.connection.discover().await.map(drop),
    }
}

/// Returns a time for people.
pub(super) fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1_000.0;
    if millis < 10.0 { format!("{millis:.2} ms") } else { format!("{millis:.0} ms") }
}

/// Returns a time for programs, in milliseconds to the microsecond.
pub(super) fn as_millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
