//! Content blocks of results and messages.

use alloc::borrow::Cow;

use crate::json::View;

/// One content block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'a> {
    /// A text; an escaped surrogate without its partner reads as U+FFFD.
    Text(Cow<'a, str>),
    /// Any other block: an image, audio, a resource or its link, or a kind that is not known here.
    Other {
        /// The block's `type`; empty where it has none.
        kind: Cow<'a, str>,
        /// The block as it came.
        raw: View<'a>,
    },
}

impl<'a> Content<'a> {
    /// Reads a block of whatever shape; one that is not understood is kept raw.
    #[must_use]
    pub fn read(raw: View<'a>) -> Self {
        let [kind, text] = raw.pick(["type", "text"]);
        let kind = kind.and_then(View::to_str).unwrap_or_default();
        match text.and_then(View::to_str) {
            Some(text) if kind == "text" => Self::Text(text),
            _ => Self::Other { kind, raw },
        }
    }
}
