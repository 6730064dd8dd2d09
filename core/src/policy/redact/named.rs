//! Finds values whose name is a secret's, in whatever notation writes a name, a sign and a value.

use super::{
    Found, Kind, Text,
    text::{is_blank, is_line_end, is_quote},
    value::{self, Class},
};

/// The most blanks between a name, its sign and its value.
const MAX_BLANKS: usize = 32;
const MAX_NAME: usize = 64;
/// The most of a value that is judged; a longer one is judged by its start, and hidden whole.
const MAX_LOOK: usize = 256;
/// The most that a type between a name and its default takes: `token: &'static str = "…"`.
const MAX_TYPE: usize = 48;

/// A secret's name and what stands around it.
struct Name {
    class: Class,
    /// `NAME=value` on a line of its own, as in a file of variables.
    is_variable: bool,
    is_first_in_line: bool,
}

/// Finds the value after the sign that stands at a place.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    let (before, after) = match (text.before(at), text.byte(at), text.byte(at + 1)) {
        (_, b'>', _) => return element(text, at),
        (b':', b':', _)
        | (_, b':', b':' | b'=')
        | (_, b'=', b'=' | b'~')
        | (b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'~' | b'|', b'=', _) => return None,
        (b':', b'=', _) => (at - 1, at + 1),
        (_, b'=', b'>') => (at, at + 2),
        _ => (at, at + 1),
    };
    let (name, is_typed) = match name_before(text, before) {
        Some(name) => (name, false),
        None => (name_before(text, type_before(text, before)?)?, true),
    };
    let from = text.run(after, MAX_BLANKS, is_blank);
    let is_tight = from == at + 1 && before == at && !is_blank(text.before(at));
    let value = Value { text, name, sign: text.byte(at), is_tight };
    match value.opening(from) {
        Some((from, quote)) => value.quoted(from, quote),
        // Without quotes, `=>` is an arrow of code, and a default is an expression.
        None if is_typed || text.before(after) == b'>' => None,
        None => value.bare(from),
    }
}

/// Returns the colon before a type that stands before an `=`, as in `password: str = "…"`.
fn type_before(text: Text<'_>, sign: usize) -> Option<usize> {
    if text.byte(sign) != b'=' {
        return None;
    }
    let from = text.run_back(sign, MAX_TYPE, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'.' | b' ' | b'|' | b'?')
    });
    (text.before(from) == b':').then(|| from - 1)
}

/// Finds the text of an element, `<password>…</password>`.
fn element(text: Text<'_>, at: usize) -> Option<Found> {
    let from = text.run_back(at, MAX_NAME, is_name_byte);
    if text.before(from) != b'<' {
        return None;
    }
    let class = value::class_of_name(text.bytes(from, at))?;
    let to = text.run(at + 1, MAX_LOOK, |byte| byte != b'<' && byte > b' ');
    let is_closed = text.starts_with(to, "</");
    let held = text.slice(at + 1, to);
    (is_closed && value::is_quoted_secret(held, class)).then_some((Kind::Named, at + 1..to))
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn name_before(text: Text<'_>, sign: usize) -> Option<Name> {
    let mut to = text.run_back(sign, MAX_BLANKS, is_blank);
    // `password?: …` and `config["password"] = …`
    to -= usize::from(match text.before(to) {
        b'?' | b'!' => true,
        b']' => is_quote(text.before(to - 1)),
        _ => false,
    });
    to -= usize::from(is_quote(text.before(to)));
    to -= usize::from(text.before(to) == b'\\');
    let from = text.run_back(to, MAX_NAME, is_name_byte);
    let name = text.bytes(from, to);
    let class = value::class_of_name(name)?;
    let indent = text.run_back(from, MAX_BLANKS, is_blank);
    let is_first_in_line = indent == 0 || is_line_end(text.before(indent));
    let is_declared = ["export", "set", "ENV", "ARG", "-e"].iter().any(|word| {
        let start = indent.saturating_sub(word.len());
        indent < from && text.starts_with(start, word) && !text.before(start).is_ascii_alphanumeric()
    });
    let is_upper = !name.iter().any(u8::is_ascii_lowercase);
    let is_variable = is_upper && to == sign && text.byte(sign) == b'=' && (is_first_in_line || is_declared);
    Some(Name { class, is_variable, is_first_in_line: is_first_in_line && indent == from })
}

struct Value<'a> {
    text: Text<'a>,
    name: Name,
    sign: u8,
    /// No blank stands around the sign.
    is_tight: bool,
}

impl Value<'_> {
    /// Returns where a quoted value starts, and with what it ends; a prefix such as `b` or `@` may precede it.
    fn opening(&self, from: usize) -> Option<(usize, &'static str)> {
        let at = self.text.run(from, 2, |byte| {
            matches!(byte, b'b' | b'B' | b'r' | b'R' | b'u' | b'f' | b'F' | b'@' | b'$')
        });
        [from, at].into_iter().find_map(|at| {
            let quote =
                ["\\\"", "\\'", "\"", "'", "`"].iter().find(|quote| self.text.starts_with(at, quote))?;
            Some((at + quote.len(), *quote))
        })
    }

    fn quoted(&self, from: usize, quote: &str) -> Option<Found> {
        let from = self.after_scheme(from).unwrap_or(from);
        let look = self.quoted_end(from, from + MAX_LOOK, quote);
        let may_hold_blanks = self.name.class == Class::Phrase;
        if is_blank(self.text.byte(look)) && !may_hold_blanks {
            return None;
        }
        let held = self.text.slice(from, look);
        let is_secret = value::is_quoted_secret(held, self.name.class);
        is_secret.then(|| (Kind::Named, from..self.quoted_end(look, usize::MAX, quote)))
    }

    /// Returns where a quoted value ends: at its quote, its line or, beyond `max`, at the next ASCII character;
    /// at a blank where the secret is no phrase.
    fn quoted_end(&self, from: usize, max: usize, quote: &str) -> usize {
        let may_hold_blanks = self.name.class == Class::Phrase;
        let mut to = from;
        while to < self.text.len() && (to < max || !self.text.byte(to).is_ascii()) {
            let byte = self.text.byte(to);
            let is_end = is_line_end(byte) || self.text.starts_with(to, quote);
            if is_end || is_blank(byte) && !may_hold_blanks {
                break;
            }
            to += if byte == b'\\' && self.text.byte(to + 1) > b' ' && self.text.byte(to + 1).is_ascii() {
                2
            } else {
                1
            };
        }
        to.min(self.text.len())
    }

    /// Returns where the credentials of an `Authorization` header start (RFC 9110 §11.6.2).
    fn after_scheme(&self, from: usize) -> Option<usize> {
        if self.name.class != Class::Header {
            return None;
        }
        let to = self.text.run(from, 16, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let scheme = self.text.slice(from, to);
        let is_scheme = ["basic", "bearer", "token", "apikey", "negotiate", "bot"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        let after = self.text.run(to, MAX_BLANKS, is_blank);
        (is_scheme && after > to).then_some(after)
    }

    fn bare(&self, from: usize) -> Option<Found> {
        let text = self.text;
        if let Some(from) = self.after_scheme(from) {
            let held = text.slice(from, text.look(from, MAX_LOOK, is_bare));
            let is_secret = held.len() >= 8 && !value::is_harmless(held) && value::has_two_classes(held);
            return is_secret.then(|| (Kind::Header, from..text.run(from, usize::MAX, is_bare)));
        }
        if self.name.is_variable {
            let belongs = |byte: u8| byte > b' ';
            let held = text.slice(from, text.look(from, MAX_LOOK, belongs));
            let is_secret = !value::is_expression(held) && value::is_quoted_secret(held, self.name.class);
            return is_secret.then(|| (Kind::Named, from..text.run(from, usize::MAX, belongs)));
        }
        let look = text.look(from, MAX_LOOK, is_bare);
        let held = text.slice(from, look);
        self.is_bare_secret(held, look).then(|| (Kind::Named, from..text.run(from, usize::MAX, is_bare)))
    }

    fn is_bare_secret(&self, held: &str, to: usize) -> bool {
        if value::is_expression(held) || !value::is_quoted_secret(held, self.name.class) {
            return false;
        }
        let next = self.text.byte(self.text.run(to, MAX_BLANKS, is_blank));
        let ends_line = next == 0 || is_line_end(next) || next == b'#';
        let is_code =
            matches!(next, b',' | b')' | b'}' | b']' | b'{' | b'(' | b'?') || next == b';' && !self.is_tight;
        if value::is_identifier(held) && is_code {
            return value::is_random(held);
        }
        if value::has_two_classes(held) || held.len() >= 6 && held.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        // One word: a password in a file of settings, a type or a variable in code.
        let is_setting = self.sign == b'=' && self.is_tight
            || held.len() >= 8 && ends_line && (self.sign == b':' || self.name.is_first_in_line);
        is_setting && !held.starts_with(|first: char| first.is_ascii_uppercase())
    }
}

/// Returns whether a byte can stand in a value without quotes, in the middle of a line.
const fn is_bare(byte: u8) -> bool {
    byte > b' '
        && !is_quote(byte)
        && !matches!(byte, b',' | b';' | b'&' | b')' | b']' | b'}' | b'<' | b'>' | b'|' | b'\\')
}
