//! Writes events.

use alloc::vec::Vec;

/// Appends an event: a message without a name, or with one, under an id where it has one.
///
/// Data of several lines comes back with one line feed for each line end, whichever it was written with. An
/// id or a name is cut where a line ends: it cannot become a field of its own.
pub fn push_event(out: &mut Vec<u8>, name: Option<&str>, id: Option<&str>, data: &str) {
    out.reserve(data.len() + 32 + id.map_or(0, str::len) + name.map_or(0, str::len));
    if let Some(name) = name {
        push_field(out, "event: ", name);
    }
    if let Some(id) = id {
        push_field(out, "id: ", id);
    }
    push_data(out, data);
    out.push(b'\n');
}

/// Appends the fields of an event's data, without its end.
pub fn push_data(out: &mut Vec<u8>, data: &str) {
    let mut rest = data;
    loop {
        out.extend_from_slice(b"data: ");
        let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes());
        let (line, tail) = end.map_or((rest, None), |at| {
            let (line, tail) = rest.split_at(at);
            (line, tail.strip_prefix("\r\n").or_else(|| tail.get(1..)))
        });
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
        let Some(tail) = tail else { return };
        rest = tail;
    }
}

/// Appends how many milliseconds a client should wait before it connects again; the event is not ended.
pub fn push_retry(out: &mut Vec<u8>, millis: u128) {
    out.extend_from_slice(alloc::format!("retry: {millis}\n").as_bytes());
}

/// Appends a comment, which says nothing and keeps the connection alive.
pub fn push_comment(out: &mut Vec<u8>) {
    out.extend_from_slice(b":\n\n");
}

fn push_field(out: &mut Vec<u8>, field: &str, value: &str) {
    let value = value.split(['\r', '\n', '\0']).next().unwrap_or_default();
    out.extend_from_slice(field.as_bytes());
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}
