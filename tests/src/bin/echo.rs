//! The server of the benchmarks: answers as fast as it can, with as little as it can.
//!
//! `tools/call` with `{"bytes":N}` is answered with a text block of N bytes.

use std::io::{self, BufRead, BufReader, Write};

fn main() -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        reply.clear();
        answer(&line, &mut reply);
        output.write_all(&reply)?;
        output.flush()?;
    }
}

fn answer(line: &[u8], reply: &mut Vec<u8>) {
    let Some(id) = after(line, b"\"id\":") else { return };
    let end = id.iter().position(|byte| matches!(byte, b',' | b'}')).unwrap_or(id.len());
    reply.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    reply.extend_from_slice(id.get(..end).unwrap_or(id));
    if after(line, b"\"tools/call\"").is_some() {
        reply.extend_from_slice(b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
        reply.resize(reply.len() + bytes_wanted(line), b'x');
        reply.extend_from_slice(b"\"}],\"isError\":false}}\n");
    } else if after(line, b"\"initialize\"").is_some() {
        reply.extend_from_slice(
            b",\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\
              \"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}}\n",
        );
    } else if after(line, b"\"tools/list\"").is_some() {
        reply.extend_from_slice(
            b",\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\
              \"properties\":{\"bytes\":{\"type\":\"integer\"}}}}]}}\n",
        );
    } else {
        reply.extend_from_slice(b",\"result\":{}}\n");
    }
}

fn after<'a>(line: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let at = line.windows(wanted.len()).position(|window| window == wanted)?;
    line.get(at + wanted.len()..)
}

fn bytes_wanted(line: &[u8]) -> usize {
    let digits = after(line, b"\"bytes\":").unwrap_or_default();
    digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |sum, byte| sum * 10 + usize::from(byte - b'0'))
}
