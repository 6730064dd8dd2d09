//! Streams under every cut, and a model of lines.

use selvedge_core::{
    Violation,
    client::{CallOptions, Effect, Event},
    protocol::Interests,
};
use serde_json::value::RawValue;

use crate::{World, world::changed};

const LIMIT: usize = 512;

/// What a stream of a server came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay {
    /// The effects, with those of the end of the stream.
    pub effects: Vec<Effect>,
    /// How many lines and bytes were no messages.
    pub stray: (usize, usize),
    /// Samples of them.
    pub samples: Vec<String>,
}

/// Feeds a ready client, which waits for the calls 7, 8 and 9, with the pieces of a stream and its end.
#[must_use]
pub fn replay<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Replay {
    let mut world = World::ready_with(changed(|config| {
        config.limits.max_message_bytes = LIMIT;
        config.offers.roots = true;
    }));
    for _ in 7..10 {
        world.call("t", "{}");
    }
    world.take_effects();
    for piece in pieces {
        world.peer_bytes(piece);
    }
    world.eof();
    world.pass_millis(100);
    let stray = world.client.stray();
    Replay {
        stray: (stray.lines(), stray.bytes()),
        samples: stray.samples().map(str::to_owned).collect(),
        effects: world.take_effects(),
    }
}

/// Feeds a ready client of the modern era, which waits for the calls 7, 8 and 9 and listens under 10, with the
/// pieces of a stream and its end.
#[must_use]
pub fn replay_modern<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Effect> {
    let mut world = World::modern_with(changed(|config| config.offers.roots = true));
    for _ in 7..10 {
        world.call("t", "{}");
    }
    let interests = Interests { tools: true, ..Interests::default() };
    world.must(|client, now| client.listen(now, &interests, CallOptions::default()));
    world.take_effects();
    for piece in pieces {
        world.peer_bytes(piece);
    }
    world.pass_millis(300);
    world.eof();
    world.pass_millis(100);
    world.take_effects()
}

/// Feeds the whole stream at once.
#[must_use]
pub fn replay_whole(stream: &[u8]) -> Replay {
    replay([stream])
}

pub(super) fn check(data: &[u8]) {
    let (seed, stream) = data.split_first().unwrap_or((&0, &[]));
    let whole = replay_whole(stream);
    let size = usize::from(*seed).max(1);
    assert_eq!(replay(stream.chunks(size)), whole, "in chunks of {size}");
    assert_eq!(replay(stream.chunks(1)), whole, "byte by byte");
    let (head, tail) = stream.split_at(size.min(stream.len()));
    assert_eq!(replay([head, tail]), whole, "cut at {size}");
    if !may_hold_headers(stream) {
        assert_eq!(faults_of(&whole.effects), model(stream), "{}", stream.escape_ascii());
    }
}

/// Why a line cannot be read.
#[derive(Debug, PartialEq, Eq)]
enum Unreadable {
    TooLarge,
    NotJson,
}

fn faults_of(effects: &[Effect]) -> Vec<Unreadable> {
    let fault = |effect: &Effect| match effect {
        Effect::Event(Event::PeerViolated(Violation::TooLarge { .. })) => Some(Unreadable::TooLarge),
        Effect::Event(Event::PeerViolated(
            Violation::NotJson(_)
            | Violation::JoinedLine { .. }
            | Violation::NotUtf8 { .. }
            | Violation::Text { .. }
            | Violation::MultiLineJson
            | Violation::Utf16,
        )) => Some(Unreadable::NotJson),
        _ => None,
    };
    effects.iter().filter_map(fault).collect()
}

/// Lines end with a line feed, blank ones are none, and the rest must be short enough and JSON.
fn model(stream: &[u8]) -> Vec<Unreadable> {
    let is_blank = |line: &[u8]| line.iter().all(|byte| b" \t\r".contains(byte));
    let fault = |line: &[u8]| {
        if line.len() > LIMIT {
            return Some(Unreadable::TooLarge);
        }
        let is_json = serde_json::from_slice::<&RawValue>(line).is_ok();
        (!is_json && !is_blank(line)).then_some(Unreadable::NotJson)
    };
    stream.split(|byte| *byte == b'\n').filter_map(fault).collect()
}

fn may_hold_headers(stream: &[u8]) -> bool {
    stream.windows(8).any(|window| window.eq_ignore_ascii_case(b"content-"))
}
