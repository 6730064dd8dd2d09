//! Finds a fixed text in a generated one.

/// Returns where a text first stands.
#[cfg(not(target_family = "wasm"))]
pub(super) fn find(text: &str, wanted: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), wanted.as_bytes())
}

/// Returns where a text first stands, with the code that other searches bring anyway.
#[cfg(target_family = "wasm")]
pub(super) fn find(text: &str, wanted: &str) -> Option<usize> {
    text.find(wanted)
}
