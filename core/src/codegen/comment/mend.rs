//! Mends a line of text at single places: what is put where, and the loop that does it and proves it.

use alloc::string::String;

use crate::codegen::backstop::Breach;

/// What is put where into a line.
pub(super) struct Mend {
    /// What a breach says of what stands there.
    pub(super) what: &'static str,
    /// How many bytes of it stay in front.
    pub(super) bytes: usize,
    pub(super) sign: char,
}

/// Appends a line, mended wherever a function says so.
pub(super) fn push_mended(out: &mut String, line: &str, mut mend: impl FnMut(usize) -> Option<Mend>) {
    let keep =
        |out: &mut String, from: usize, to: usize| out.push_str(line.get(from..to).unwrap_or_default());
    let (mut from, mut at) = (0, 0);
    while at < line.len() {
        let Some(mend) = mend(at) else {
            at += 1;
            continue;
        };
        keep(out, from, at + mend.bytes);
        out.push(mend.sign);
        (from, at) = (at + mend.bytes, at + mend.bytes.max(1));
    }
    keep(out, from, line.len());
}

/// Checks that a finished line that stands somewhere needs no mending.
pub(super) fn check_mended(
    line: &str,
    start: usize,
    mend: impl Fn(usize) -> Option<Mend>,
) -> Result<(), Breach> {
    let found = (0..line.len()).find_map(|at| mend(at).map(|mend| (at, mend.what)));
    found.map_or(Ok(()), |(at, what)| Err(Breach { at: start + at, what }))
}
