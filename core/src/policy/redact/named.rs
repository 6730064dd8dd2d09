//! Finds values whose name is a secret's, in whatever notation writes a name, a sign and a value.

use super::{
    Found, Kind, Text, below, markup,
    name::{Class, class_of_name},
    pair,
    text::{is_blank, is_line_end, is_name_byte, is_quote},
    value::{self, Place},
};

/// The most blanks between a name, its sign and its value.
pub(super) const MAX_BLANKS: usize = 32;
pub(super) const MAX_NAME: usize = 64;
/// The most of a value that is judged; a longer one is judged by its start, and hidden whole.
pub(super) const MAX_LOOK: usize = 256;
/// The most that a type between a name and its default takes: `token: &'static str = "…"`.
const MAX_TYPE: usize = 48;
/// The most of a list that is hidden as one.
const MAX_LIST: usize = 1_024;

/// A secret's name and what stands around it.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) class: Class,
    /// Where it starts.
    pub(super) from: usize,
    /// `NAME=value` on a line of its own, as in a file of variables.
    is_variable: bool,
    pub(super) is_first_in_line: bool,
}

/// Finds the value after the sign that stands at a place.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    let (before, after) = match (text.before(at), text.byte(at), text.byte(at + 1)) {
        (_, b'>', _) => return markup::element(text, at),
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
        None => match pair::name_of(text, before) {
            Some(name) => (name, false),
            None => (name_before(text, type_before(text, before)?)?, true),
        },
    };
    let from = text.run(after, MAX_BLANKS, is_blank);
    let is_tight = from == at + 1 && before == at && !is_blank(text.before(at));
    let value = Value { text, name, sign: text.byte(at), is_tight };
    if let Some((from, quote)) = opening(text, from) {
        return value.quoted(from, quote);
    }
    if text.byte(from) == b'[' {
        return value.list(from);
    }
    // Without quotes, `=>` is an arrow of code, and a default is an expression.
    if is_typed || text.before(after) == b'>' {
        return None;
    }
    if text.byte(at) == b':'
        && let Some(found) = below::find(text, &name, from)
    {
        return Some(found);
    }
    value.bare(from)
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

fn name_before(text: Text<'_>, sign: usize) -> Option<Name> {
    let mut to = text.run_back(sign, MAX_BLANKS, is_blank);
    // `password?: …` and `config["password"] = …`
    to -= usize::from(match text.before(to) {
        b'?' | b'!' => true,
        b']' => is_quote(text.before(to - 1)),
        _ => false,
    });
    let is_quoted = is_quote(text.before(to));
    to -= usize::from(is_quoted);
    to -= usize::from(text.before(to) == b'\\');
    let from = text.run_back(to, MAX_NAME, is_name_byte);
    let name = text.bytes(from, to);
    let class = class_of_name(name)?;
    let is_value_of_number = class == Class::Number && !is_quoted;
    // Results of tests are told as `PASS: what was tested`.
    let is_result = name == b"PASS" && text.byte(sign) == b':';
    if is_value_of_number || is_result {
        return None;
    }
    Some(name_at(text, from, to, sign, class))
}

/// Looks at what stands around a name.
pub(super) fn name_at(text: Text<'_>, from: usize, to: usize, sign: usize, class: Class) -> Name {
    let indent = text.run_back(from, MAX_BLANKS, is_blank);
    let is_first_in_line = indent == 0 || is_line_end(text.before(indent));
    let is_declared = ["export", "set", "ENV", "ARG", "-e", "--env", "setx"].iter().any(|word| {
        let start = indent.saturating_sub(word.len());
        indent < from && text.starts_with(start, word) && !text.before(start).is_ascii_alphanumeric()
    });
    let is_upper = !text.bytes(from, to).iter().any(u8::is_ascii_lowercase);
    let is_variable = is_upper && to == sign && text.byte(sign) == b'=' && (is_first_in_line || is_declared);
    Name { class, from, is_variable, is_first_in_line: is_first_in_line && indent == from }
}

/// Returns where a quoted value starts, and with what it ends; a prefix such as `b` or `@` may precede it.
pub(super) fn opening(text: Text<'_>, from: usize) -> Option<(usize, &'static str)> {
    let at = text
        .run(from, 2, |byte| matches!(byte, b'b' | b'B' | b'r' | b'R' | b'u' | b'f' | b'F' | b'@' | b'$'));
    [from, at].into_iter().find_map(|at| {
        let quote = ["\\\"", "\\'", "\"\"\"", "'''", "\"", "'", "`"]
            .iter()
            .find(|quote| text.starts_with(at, quote))?;
        // Two quotes and no third one hold nothing.
        Some((at + quote.len(), *quote))
    })
}

/// Returns where a quoted value ends: at its quote, its line or, beyond `max`, at the next ASCII character.
pub(super) fn quoted_end(text: Text<'_>, from: usize, max: usize, quote: &str) -> usize {
    let mut to = from;
    while to < text.len() && (to < max || !text.byte(to).is_ascii()) {
        let byte = text.byte(to);
        if is_line_end(byte) || text.starts_with(to, quote) {
            break;
        }
        to += if byte == b'\\' && text.byte(to + 1) > b' ' && text.byte(to + 1).is_ascii() { 2 } else { 1 };
    }
    to.min(text.len())
}

/// Finds a value between quotes, of which the first one stands before a place.
pub(super) fn quoted(text: Text<'_>, class: Class, from: usize, quote: &str) -> Option<Found> {
    let from = after_scheme(text, class, from).unwrap_or(from);
    let look = quoted_end(text, from, from + MAX_LOOK, quote);
    let held = text.slice(from, look);
    let is_secret = value::is_secret(held, class, Place::Quoted) && !text.is_marked(from, look);
    is_secret.then(|| (Kind::Named, from..quoted_end(text, from, usize::MAX, quote)))
}

/// Returns where the credentials of an `Authorization` header start (RFC 9110 §11.6.2).
fn after_scheme(text: Text<'_>, class: Class, from: usize) -> Option<usize> {
    if class != Class::Header {
        return None;
    }
    let to = text.run(from, 16, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let scheme = text.slice(from, to);
    let is_scheme = ["basic", "bearer", "token", "apikey", "negotiate", "bot", "digest", "key"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    let after = text.run(to, MAX_BLANKS, is_blank);
    (is_scheme && after > to).then_some(after)
}

struct Value<'a> {
    text: Text<'a>,
    name: Name,
    sign: u8,
    /// No blank stands around the sign.
    is_tight: bool,
}

impl Value<'_> {
    fn quoted(&self, from: usize, quote: &str) -> Option<Found> {
        quoted(self.text, self.name.class, from, quote)
    }

    /// Finds the strings of a list, which are hidden as one.
    fn list(&self, from: usize) -> Option<Found> {
        let text = self.text;
        let first = text.run(from + 1, MAX_BLANKS, |byte| byte.is_ascii_whitespace());
        let (start, quote) = opening(text, first)?;
        let (kind, found) = self.quoted(start, quote)?;
        let end = text.run(found.end, MAX_LIST, |byte| byte != b']' && byte != b'[');
        if text.byte(end) != b']' {
            return Some((kind, found));
        }
        let last = text.run_back(end, MAX_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
        let is_string = text.bytes(last.saturating_sub(quote.len()), last) == quote.as_bytes();
        let to = if is_string { last - quote.len() } else { found.end };
        Some((kind, found.start..to.max(found.end)))
    }

    fn bare(&self, from: usize) -> Option<Found> {
        let text = self.text;
        if let Some(from) = after_scheme(text, self.name.class, from) {
            let look = text.look(from, MAX_LOOK, is_bare);
            let held = text.slice(from, look);
            let is_secret = held.len() >= 8
                && !value::is_harmless(held, Place::Bare)
                && value::has_two_classes(held)
                && !text.is_marked(from, look);
            return is_secret.then(|| (Kind::Header, from..text.run(from, usize::MAX, is_bare)));
        }
        if self.name.class == Class::Cookie {
            let belongs = |byte: u8| !is_line_end(byte) && !is_quote(byte);
            let look = text.look(from, MAX_LOOK, belongs);
            let is_secret = value::is_secret(text.slice(from, look), Class::Cookie, Place::Quoted);
            let to = || text.run(from, usize::MAX, belongs);
            return (is_secret && self.sign == b':' && !text.is_marked(from, look))
                .then(|| (Kind::Header, from..to()));
        }
        let (belongs, place): (fn(u8) -> bool, _) = if self.name.is_variable {
            (|byte| byte > b' ', Place::Variable)
        } else {
            (is_bare, Place::Bare)
        };
        let look = text.look(from, MAX_LOOK, belongs);
        let held = text.slice(from, look);
        let is_secret = match place {
            Place::Variable => {
                !value::is_call(held)
                    && value::is_secret(held, self.name.class, place)
                    && !held.starts_with(is_quote_char)
            }
            _ => self.is_bare_secret(held, look),
        };
        (is_secret && !text.is_marked(from, look))
            .then(|| (Kind::Named, from..text.run(from, usize::MAX, belongs)))
    }

    fn is_bare_secret(&self, held: &str, to: usize) -> bool {
        let next = self.text.byte(self.text.run(to, MAX_BLANKS, is_blank));
        let ends_line = next == 0 || is_line_end(next) || next == b'#';
        let is_code =
            matches!(next, b',' | b')' | b'}' | b']' | b'{' | b'(' | b'?') || next == b';' && !self.is_tight;
        let is_password = self.name.class == Class::Password;
        // A setting on a line of its own: no reference of code would end there.
        let is_setting = is_password && ends_line && self.is_tight;
        let place = if is_setting && !is_compound(held) { Place::Variable } else { Place::Bare };
        if is_password
            && place == Place::Bare
            && value::is_identifier(held)
            && is_compound(held)
            && super::name::class_of_name(held.as_bytes()).is_some()
        {
            return false;
        }
        let is_broken = ends_line
            && is_password
            && held.len() >= 6
            && value::is_mixed(held)
            && held.ends_with(|last: char| last.is_ascii_alphanumeric());
        if value::is_expression(held) && !is_broken || !value::is_secret(held, self.name.class, place) {
            return false;
        }
        if value::is_identifier(held) && is_code {
            return value::is_random(held);
        }
        if value::has_two_classes(held) || held.len() >= 6 && held.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        // One word: a password in a file of settings, a type or a variable in code.
        let min = if is_password { 4 } else { 8 };
        let is_word = self.sign == b'=' && self.is_tight
            || held.len() >= min && ends_line && self.sign == b':' && self.name.is_first_in_line
            || held.len() >= 8 && ends_line && (self.sign == b':' || self.name.is_first_in_line);
        is_word && !held.starts_with(|first: char| first.is_ascii_uppercase())
    }
}

const fn is_quote_char(code: char) -> bool {
    matches!(code, '"' | '\'' | '`')
}

/// Returns whether an identifier is made of words: `user_password`, `userPassword`.
fn is_compound(held: &str) -> bool {
    held.contains('_')
        || held
            .as_bytes()
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
}

/// Returns whether a byte can stand in a value without quotes, in the middle of a line.
pub(super) const fn is_bare(byte: u8) -> bool {
    byte > b' '
        && !is_quote(byte)
        && !matches!(byte, b',' | b';' | b'&' | b')' | b']' | b'}' | b'<' | b'>' | b'|' | b'\\')
}
