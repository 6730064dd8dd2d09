//! Finds secrets that a word announces without any sign: flags and their arguments, SQL, calls, and the
//! machines of `netrc`.

use super::{
    Found, Kind, Text,
    name::{Class, class_of_name},
    named::{self, MAX_BLANKS, MAX_LOOK, MAX_NAME, quoted_end},
    text::{is_argument, is_blank, is_line_end, is_name_byte, is_quote},
    value::{self, Place},
};

/// How far before a word others of the same command or statement are looked for.
const MAX_BACK: usize = 160;

/// Programs that take a password by a short flag; a value may be glued to it, and stands apart where that is said.
const SHORT_FLAGS: &[(&str, u8, bool)] = &[
    ("mysql", b'p', false),
    ("mysqldump", b'p', false),
    ("mysqladmin", b'p', false),
    ("mysqlimport", b'p', false),
    ("mariadb", b'p', false),
    ("mariadb-dump", b'p', false),
    ("sshpass", b'p', true),
    ("login", b'p', true),
    ("mongo", b'p', true),
    ("mongosh", b'p', true),
    ("mongodump", b'p', true),
    ("mongorestore", b'p', true),
    ("redis-cli", b'a', true),
    ("sqlcmd", b'P', true),
    ("ldapsearch", b'w', true),
    ("ldapmodify", b'w', true),
    ("zip", b'P', true),
    ("unzip", b'P', true),
    ("7z", b'p', false),
    ("curl", b'u', true),
];

/// Finds the argument of the flag that starts at a place.
pub(super) fn flag(text: Text<'_>, at: usize) -> Option<Found> {
    let before = text.before(at);
    if !(before <= b' ' || is_quote(before) || matches!(before, b',' | b'[' | b'(')) {
        return None;
    }
    if text.byte(at + 1) != b'-' {
        return short_flag(text, at);
    }
    let from = at + 2;
    let to = text.run(from, MAX_NAME, is_name_byte);
    let class = class_of_name(text.bytes(from, to));
    let is_user = text.is_word(from, to, "user");
    let (start, quote) = argument(text, to)?;
    if is_user && class.is_none() {
        return user_and_password(text, start);
    }
    spoken(text, class?, start, quote, at)
}

/// Returns where the argument of a flag starts, and its quote: on the same line, or as the next of a list.
fn argument(text: Text<'_>, to: usize) -> Option<(usize, Option<&'static str>)> {
    let closed = to + usize::from(is_quote(text.byte(to)));
    let blank = text.run(closed, MAX_BLANKS, |byte| is_blank(byte) || byte == b',');
    let mut from = blank;
    if is_line_end(text.byte(from)) {
        // The next item of a list of YAML or JSON.
        let line = text.run(from, 2, is_line_end);
        from = text.run(line, MAX_NAME, is_blank);
        let is_item = text.starts_with(from, "- ");
        from += if is_item { 2 } else { 0 };
        if !(is_item || closed > to && is_quote(text.byte(from))) {
            return None;
        }
    } else if from == to || closed > to && !is_quote(text.byte(from)) {
        return None;
    }
    match named::opening(text, from) {
        Some((start, quote)) => Some((start, Some(quote))),
        None => Some((from, None)),
    }
}

/// Finds a value that follows a word; without quotes only what is surely one.
fn spoken(text: Text<'_>, class: Class, from: usize, quote: Option<&str>, word: usize) -> Option<Found> {
    if let Some(quote) = quote {
        return named::quoted(text, class, from, quote);
    }
    let look = text.look(from, MAX_LOOK, is_argument);
    let held = text.slice(from, look);
    let is_argument_like = !held.starts_with(['-', '<', '[', '(', '=', '`'])
        && value::is_secret(held, class, Place::Variable)
        && !text.is_marked(from, look);
    let next = text.run(look, MAX_BLANKS, is_blank);
    let ends = next == text.len()
        || matches!(text.byte(next), b'\n' | b'\r' | b'-' | b';' | b'|' | b'&' | b'"' | b'\'' | b'\\');
    let is_command = !is_line_end(text.before(text.run_back(word, MAX_BLANKS, is_blank))) && word > 0;
    let is_word =
        class == Class::Password && ends && is_command && held.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_argument_like && (value::is_mixed(held) || value::has_two_classes(held) || is_word))
        .then(|| (Kind::Named, from..text.run(from, usize::MAX, is_argument)))
}

/// Finds the password after `user:`.
fn user_and_password(text: Text<'_>, from: usize) -> Option<Found> {
    let to = text.look(from, MAX_LOOK, is_argument);
    let colon = text.bytes(from, to).iter().position(|byte| *byte == b':')?;
    let (start, held) = (from + colon + 1, text.slice(from + colon + 1, to));
    let is_secret = colon > 0
        && value::is_secret(held, Class::Password, Place::Variable)
        && !held.bytes().all(|byte| byte.is_ascii_digit())
        && !text.is_marked(start, to);
    is_secret.then(|| (Kind::Named, start..text.run(start, usize::MAX, is_argument)))
}

fn short_flag(text: Text<'_>, at: usize) -> Option<Found> {
    let letter = text.byte(at + 1);
    if !SHORT_FLAGS.iter().any(|(_, flag, _)| *flag == letter) {
        return None;
    }
    let line = text.line_start(at, MAX_BACK);
    let words = text.bytes(line, at).split(|byte| *byte <= b' ').filter(|word| word.len() > 1);
    let (_, _, may_stand_apart) = words.into_iter().find_map(|word| {
        let start = word.iter().rposition(|byte| matches!(byte, b'/' | b'$' | b'(' | b'`' | b'"' | b'\''));
        let name = word.get(start.map_or(0, |start| start + 1)..).unwrap_or_default();
        SHORT_FLAGS.iter().find(|(program, flag, _)| *flag == letter && name == program.as_bytes())
    })?;
    let glued = at + 2;
    let from = text.run(glued, 4, is_blank);
    if from > glued && !may_stand_apart {
        return None;
    }
    let opened = named::opening(text, from);
    let start = opened.map_or(from, |(start, _)| start);
    if letter == b'u' {
        return user_and_password(text, start);
    }
    let end = opened.map_or_else(
        || text.look(start, MAX_LOOK, is_argument),
        |(start, quote)| quoted_end(text, start, start + MAX_LOOK, quote),
    );
    let held = text.slice(start, end);
    let is_secret = !held.starts_with('-')
        && value::is_secret(held, Class::Password, Place::Variable)
        && !text.is_marked(start, end);
    is_secret.then(|| {
        let to = opened.map_or_else(
            || text.run(start, usize::MAX, is_argument),
            |(start, quote)| quoted_end(text, start, usize::MAX, quote),
        );
        (Kind::Named, start..to)
    })
}

/// Finds a quoted value behind a word: `IDENTIFIED BY '…'`, `PASSWORD '…'`, `setPassword("…")`,
/// `put("password", "…")`.
pub(super) fn quote(text: Text<'_>, at: usize) -> Option<Found> {
    let (start, quote) = named::opening(text, at).filter(|(start, _)| *start > at)?;
    let to = text.run_back(at, MAX_BLANKS, is_blank);
    let class = match text.before(to) {
        b'(' => called(text, to - 1)?,
        b',' => paired(text, to - 1)?,
        _ if to < at => {
            let from = text.run_back(to, MAX_NAME, is_name_byte);
            if is_identified_by(text, from, to) {
                return named::quoted(text, Class::Password, start, quote);
            }
            let class = class_of_name(text.bytes(from, to))
                .filter(|class| matches!(class, Class::Password | Class::Phrase))?;
            let is_statement = !text.bytes(from, to).iter().any(u8::is_ascii_lowercase);
            if is_statement {
                return named::quoted(text, class, start, quote);
            }
            class
        }
        _ => return None,
    };
    let (kind, found) = named::quoted(text, class, start, quote)?;
    let held = text.slice(found.start, found.end.min(found.start + MAX_LOOK));
    let is_chosen =
        held.len() >= 6 && !held.contains(' ') && (value::is_mixed(held) || value::has_two_classes(held));
    (is_chosen && !held.contains(['%', '{', '=', '<'])).then_some((kind, found))
}

/// Returns what a function is called with: `withPassword(`, `PASSWORD(`.
fn called(text: Text<'_>, bracket: usize) -> Option<Class> {
    let from = text.run_back(bracket, MAX_NAME, is_name_byte);
    class_of_name(text.bytes(from, bracket))
        .filter(|class| matches!(class, Class::Password | Class::Secret | Class::Phrase))
}

/// Returns what the string before a comma names, where both are all that a function is called with.
fn paired(text: Text<'_>, comma: usize) -> Option<Class> {
    let to = text.run_back(comma, 4, is_blank);
    if !is_quote(text.before(to)) {
        return None;
    }
    let from = text.run_back(to - 1, MAX_NAME, is_name_byte);
    let open = from.checked_sub(1).filter(|open| is_quote(text.byte(*open)))?;
    let is_first = text.before(text.run_back(open, 4, is_blank)) == b'(';
    class_of_name(text.bytes(from, to - 1))
        .filter(|class| is_first && matches!(class, Class::Password | Class::Secret))
}

fn is_identified_by(text: Text<'_>, from: usize, to: usize) -> bool {
    let words = || text.bytes(from.saturating_sub(MAX_BACK), from).split(|byte| *byte <= b' ');
    text.is_word(from, to, "by")
        && words()
            .filter(|word| !word.is_empty())
            .rev()
            .take(3)
            .any(|word| word.eq_ignore_ascii_case(b"identified"))
}

/// Finds a value without quotes behind the word at a place: `IDENTIFIED BY tiger`, `password …` of a machine.
pub(super) fn word(text: Text<'_>, at: usize) -> Option<Found> {
    let to = text.run(at, 16, |byte| byte.is_ascii_alphabetic());
    let from = text.run(to, MAX_BLANKS, |byte| is_blank(byte) || is_line_end(byte));
    if from == to || is_quote(text.byte(from)) {
        return None;
    }
    let is_named = match to - at {
        2 => is_identified_by(text, at, to),
        6 | 8 => (text.is_word(at, to, "password") || text.is_word(at, to, "passwd")) && is_machine(text, at),
        _ => false,
    };
    if !is_named {
        return None;
    }
    let is_statement = to - at == 2;
    let look = text.look(from, MAX_LOOK, |byte| byte > b' ' && !(is_statement && byte == b';'));
    let held = text.slice(from, look);
    let is_secret = value::is_secret(held, Class::Password, Place::Variable) && !text.is_marked(from, look);
    let belongs = |byte: u8| byte > b' ' && !(is_statement && byte == b';');
    is_secret.then(|| (Kind::Named, from..text.run(from, usize::MAX, belongs)))
}

/// Returns whether the words before `password` are those of `netrc`: `login name`, or `machine name`.
fn is_machine(text: Text<'_>, at: usize) -> bool {
    let start = at.saturating_sub(MAX_BACK);
    let mut words = text.bytes(start, at).split(|byte| *byte <= b' ').filter(|word| !word.is_empty()).rev();
    let (name, key) = (words.next(), words.next());
    let is_key = key.is_some_and(|key| matches!(key, b"login" | b"machine" | b"user" | b"account"));
    let is_machine = words.take(2).any(|word| matches!(word, b"machine" | b"default"));
    is_key && name.is_some() && (is_machine || key.is_some_and(|key| key == b"machine"))
        || name.is_some_and(|name| name == b"default")
}
