//! Proves of every line of a surface that the server's prose stands behind the mark.

use super::{Breach, no_control_bytes};
use crate::codegen::prose::is_prose;

/// Checks a surface, whose mark is the sign of a comment: no line but the first is a heading, and no literal in front of a mark reads as prose.
pub(crate) fn check_surface(text: &str, mark: &str) -> Result<(), Breach> {
    no_control_bytes(text)?;
    let mut at = 0;
    for line in text.split('\n') {
        if at > 0 && line.starts_with("##") {
            return Err(Breach { at, what: "a second heading" });
        }
        check_line(line, mark, at)?;
        at += line.len() + 1;
    }
    Ok(())
}

/// Checks the literals of a line up to its comment.
fn check_line(line: &str, mark: &str, start: usize) -> Result<(), Breach> {
    let mut at = 0;
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty() && !rest.starts_with(mark)) {
        if !rest.starts_with('"') {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let inside = literal(rest).ok_or(Breach { at: start + at, what: "a literal without an end" })?;
        if is_prose(inside) {
            return Err(Breach { at: start + at, what: "a literal that reads as prose" });
        }
        at += inside.len() + 2;
    }
    Ok(())
}

/// Returns the inside of the literal that a text begins with.
pub(crate) fn literal(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    let mut at = 0;
    loop {
        at += inside.get(at..)?.find(['"', '\\'])?;
        if inside.as_bytes().get(at) == Some(&b'"') {
            return inside.get(..at);
        }
        at += 2;
    }
}
