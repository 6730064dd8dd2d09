//! Tests of the framing alone.

use alloc::{format, string::String, vec, vec::Vec};

use super::*;

fn read(chunks: &[&[u8]], max: usize) -> Vec<String> {
    let mut framer = Framer::new(max);
    let mut seen: Vec<String> = Vec::new();
    let mut dropped = 0;
    let mut note = |piece: Piece<'_>| match piece {
        Piece::Message(Bytes::Borrowed(bytes)) => seen.push(String::from_utf8_lossy(bytes).into_owned()),
        Piece::Message(Bytes::Owned(bytes)) => seen.push(String::from_utf8_lossy(&bytes).into_owned()),
        Piece::Overflowed { salvaged } => seen.push(format!("overflowed {salvaged:?}")),
        // How the dropped bytes are counted up depends on the cuts; their sum does not.
        Piece::Dropped(bytes) => dropped += bytes,
        Piece::Resumed { salvaged } => {
            seen.push(format!("resumed {salvaged:?} after {}", mem::take(&mut dropped)));
        }
        Piece::BadHeader(bytes) => seen.push(format!("bad header of {bytes}")),
    };
    for chunk in chunks {
        let mut feed = framer.feed(chunk);
        while let Some(piece) = feed.next() {
            note(piece);
        }
    }
    if let Some(piece) = framer.finish() {
        note(piece);
    }
    seen
}

#[test]
fn a_stream_means_the_same_wherever_it_is_cut() {
    let stream = b"\xEF\xBB\xBF{\"a\":1}\r\n\n \t\r\nbanner \xC3\xA9\n0123456789012345678901234567890123456789\n\
        Content-Length: 7\r\nContent-Type: x\r\n\r\n{\"b\":2}Content-Length: 3\n{\"c\":3}\n\
        content-length: 51\n\n{\"id\":7,\"result\":[01234567890123456789012345678901]{\"d\":4}\nContent-Length: 0\n\n{\"e\":5}";
    let whole = read(&[stream], 32);
    assert_eq!(
        whole,
        [
            "{\"a\":1}",
            "banner é",
            "overflowed None",
            "resumed None after 7",
            "{\"b\":2}",
            "bad header of 17",
            "{\"c\":3}",
            "overflowed None",
            "resumed Some(7) after 51",
            "{\"d\":4}",
            "{\"e\":5}",
        ]
    );
    for cut in 0..=stream.len() {
        let (head, tail) = stream.split_at(cut);
        assert_eq!(read(&[head, tail], 32), whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(read(&bytes, 32), whole);
}

#[test]
fn the_limit_is_the_last_length_that_passes() {
    let exact = vec![b'x'; 32];
    let over = vec![b'x'; 33];
    assert_eq!(read(&[&exact, b"\n"], 32).len(), 1);
    assert_eq!(read(&[&over, b"\n", b"0\n"], 32), ["overflowed None", "resumed None after 0", "0"]);
}

#[test]
fn an_endless_line_keeps_no_memory() {
    let mut framer = Framer::new(1_000);
    for _ in 0..1_000 {
        let mut feed = framer.feed(&[b'x'; 999]);
        while feed.next().is_some() {}
        assert!(framer.kept_bytes() <= 1_000);
    }
    assert_eq!(framer.kept_bytes(), 0);
}

#[test]
fn both_framings_read_back_what_they_wrote() {
    for framing in [Framing::Newline, Framing::ContentLength] {
        let mut stream = framing.frame(b"{\"a\":1}".to_vec());
        stream.extend(framing.frame(b"[]".to_vec()));
        assert_eq!(read(&[&stream], 32), ["{\"a\":1}", "[]"], "{framing:?}");
    }
}
