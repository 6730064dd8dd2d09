//! `text/event-stream` both ways.

use std::time::Duration;

use proptest::prelude::*;
use selvedge_core::sse::{Decoder, Event, push_comment, push_event, push_retry};
use selvedge_tests::memory::peak_of;

fn read(parts: &[&[u8]]) -> Vec<Event> {
    read_within(1_000, parts)
}

fn read_within(limit: usize, parts: &[&[u8]]) -> Vec<Event> {
    let mut decoder = Decoder::new(limit);
    let mut events = Vec::new();
    for part in parts {
        decoder.handle_bytes(part);
        events.extend(std::iter::from_fn(|| decoder.poll_event()));
    }
    events
}

fn event(name: &str, id: &str, data: &str) -> Event {
    Event::Message { name: name.to_owned(), id: id.to_owned(), data: data.to_owned() }
}

#[test]
fn events_are_read_however_their_lines_end() {
    let text = "\u{feff}: hello\ndata:{\"a\":\ndata: 1}\n\nevent: endpoint\nid: 7\ndata:  /x\n\n: hb\n\n\ndata\n\nunknown: x\nid\ndata: é\n\n";
    let expected =
        [event("", "", "{\"a\":\n1}"), event("endpoint", "7", " /x"), event("", "7", ""), event("", "", "é")];
    for end in ["\n", "\r", "\r\n"] {
        let text = text.replace('\n', end);
        assert_eq!(read(&[text.as_bytes()]), expected, "{end:?}");
        for cut in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(cut);
            assert_eq!(read(&[head, tail]), expected, "{end:?} cut at {cut}");
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), expected, "{end:?} byte by byte");
    }
}

#[test]
fn an_event_without_its_end_is_not_told_and_its_id_does_not_count() {
    let mut decoder = Decoder::new(1_000);
    decoder.handle_bytes(b"id: 1\ndata: a\n\nid: 2\ndata: b\n");
    assert_eq!(decoder.poll_event(), Some(event("", "1", "a")));
    assert_eq!((decoder.poll_event(), decoder.last_id()), (None, "1"));
}

#[test]
fn an_id_without_data_is_told_as_a_place_to_come_back_to() {
    assert_eq!(
        read(&[b"retry: 500\nid: 5-0\ndata: \n\n"]),
        [Event::Retry(Duration::from_millis(500)), event("", "5-0", "")]
    );
    assert_eq!(read(&[b"id: 5-0\n\n"]), [event("", "5-0", "")]);
    assert_eq!(read(&[b"event: x\n\n"]), []);
}

#[test]
fn ids_with_null_and_waits_that_are_no_numbers_are_ignored() {
    assert_eq!(read(&[b"id: a\0b\nretry: 5s\nretry: -1\nretry:\ndata: x\n\n"]), [event("", "", "x")]);
}

#[test]
fn a_wait_is_neither_a_storm_nor_for_ever_and_is_told_when_it_changes() {
    let waits = |text: &str| read(&[text.as_bytes()]);
    assert_eq!(waits("retry: 0\n\n"), [Event::Retry(Duration::from_millis(100))]);
    assert_eq!(waits("retry: 99999999999999999999\n\n"), [Event::Retry(Duration::from_mins(5))]);
    assert_eq!(waits(&"retry: 100000000000000\n\n".repeat(1_000)), [Event::Retry(Duration::from_mins(5))]);
    assert_eq!(
        waits("retry: 500\nretry: 700\n\n"),
        [Event::Retry(Duration::from_millis(700))],
        "the last counts"
    );
    let twice = "retry: 500\ndata: x\n\nretry: 500\n\n";
    assert_eq!(waits(twice), [Event::Retry(Duration::from_millis(500)), event("", "", "x")]);
}

#[test]
fn an_event_beyond_the_limit_is_left_out_and_the_next_one_is_read() {
    let long = "x".repeat(200);
    let split = format!("data: {0}\ndata: {0}\n\ndata: ok\n\n", &long[..60]);
    assert_eq!(read_within(100, &[split.as_bytes()]), [Event::TooLarge { limit: 100 }, event("", "", "ok")]);
    let line = format!("id: 3\ndata: {long}\nevent: {long}\n: {long}\n{long}\n\ndata: ok\n\n");
    let expected = [Event::TooLarge { limit: 100 }, event("", "3", "ok")];
    for cut in 0..=line.len() {
        let (head, tail) = line.as_bytes().split_at(cut);
        assert_eq!(read_within(100, &[head, tail]), expected, "cut at {cut}");
    }
}

#[test]
fn an_endless_line_costs_no_more_than_the_limit() {
    let mut decoder = Decoder::new(64 << 10);
    let chunk = vec![b'x'; 16 << 10];
    let ((), peak) = peak_of(|| {
        for _ in 0..1_000 {
            decoder.handle_bytes(&chunk);
        }
        decoder.handle_bytes(b"data: ");
        for _ in 0..1_000 {
            decoder.handle_bytes(&chunk);
        }
    });
    assert!(peak < 300 << 10, "{peak} bytes");
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        events in proptest::collection::vec((
            proptest::option::of("[a-z]{1,8}"), proptest::option::of("[!-~]{1,8}"), "(?s).{0,40}",
        ), 0..6),
        cuts in proptest::collection::vec(0..200_usize, 0..5),
    ) {
        let (mut bytes, mut expected, mut last) = (Vec::new(), Vec::new(), String::new());
        for (name, id, data) in &events {
            let wait = 500 + expected.len() as u64;
            push_retry(&mut bytes, wait.into());
            push_event(&mut bytes, name.as_deref(), id.as_deref(), data);
            push_comment(&mut bytes);
            last = id.clone().unwrap_or(last);
            let data = data.replace("\r\n", "\n").replace('\r', "\n");
            expected.push(Event::Retry(Duration::from_millis(wait)));
            expected.push(event(name.as_deref().unwrap_or_default(), &last, &data));
        }
        let (mut parts, mut rest) = (Vec::new(), bytes.as_slice());
        for cut in cuts {
            let (part, tail) = rest.split_at(cut.min(rest.len()));
            parts.push(part);
            rest = tail;
        }
        parts.push(rest);
        prop_assert_eq!(read(&parts), expected);
    }

    #[test]
    fn any_bytes_mean_the_same_wherever_they_are_cut(
        text in proptest::collection::vec(
            proptest::sample::select(vec![
                "data: ", "data:", "id: ", "id:\0", "retry: 7", "event: ", ":", "\n", "\r", "\r\n", "x", "\u{feff}", "é",
            ]),
            0..40,
        ),
        at in 0..200_usize,
    ) {
        let text = text.concat();
        let (head, tail) = text.as_bytes().split_at(at.min(text.len()));
        prop_assert_eq!(read_within(4, &[head, tail]), read_within(4, &[text.as_bytes()]));
    }
}
