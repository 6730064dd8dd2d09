//! Shows untrusted text in messages.

use core::fmt::{self, Write};

/// The most characters of an untrusted text that a message shows.
const MAX_SHOWN: usize = 80;

/// Untrusted text on one line: capped, and without characters that move the cursor or hide.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, character) in self.0.chars().enumerate() {
            if at == MAX_SHOWN {
                return f.write_char('…');
            }
            if is_visible(character) {
                f.write_char(character)?;
            } else {
                write!(f, "\\u{{{:x}}}", u32::from(character))?;
            }
        }
        Ok(())
    }
}

/// Returns whether a character shows as itself and leaves its neighbours where they are: it is no control
/// character, turns no direction, and is not invisible by its nature.
#[must_use]
pub fn is_visible(character: char) -> bool {
    !(character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        ))
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn hostile_text_shows_on_one_line_and_ends() {
        assert_eq!(Shown("a\n\u{1b}[2J\u{202e}é").to_string(), "a\\u{a}\\u{1b}[2J\\u{202e}é");
        assert_eq!(Shown(&"x".repeat(1_000)).to_string(), format!("{}…", "x".repeat(MAX_SHOWN)));
    }
}
