//! The same message in other words: names spelled with escapes, and names that stand there twice.

use selvedge_core::json::{Kind, View, push_string};

/// The value of a member that was added behind another one of its name.
pub const SECOND: &str = "\"the second\"";

/// A message in which one name stands twice, and which one.
#[derive(Clone, Debug)]
pub struct Doubled {
    /// The message.
    pub text: String,
    /// The name.
    pub name: String,
    /// The names that lead to the object that has it twice.
    pub path: Vec<String>,
}

/// Spells every name of a message with nothing but escapes.
#[must_use]
pub fn escaped(message: &str) -> String {
    rewritten(view(message), &mut Vec::new(), &mut |_, members| {
        for (name, _) in members {
            *name = spelled(name);
        }
    })
}

/// Returns one message for every member of a message, at any depth: the member stands there once more, at the end
/// of its object, with another value.
#[must_use]
pub fn doubled(message: &str) -> Vec<Doubled> {
    let mut all = Vec::new();
    for wanted in 0.. {
        let (mut seen, mut found) = (0, None);
        let text = rewritten(view(message), &mut Vec::new(), &mut |path, members| {
            let first = seen;
            seen += members.len();
            if let Some(name) = wanted_of(members, wanted, first) {
                // Every second one is spelled otherwise than the first.
                let spelling = if wanted % 2 == 0 { quoted(&name) } else { spelled(&quoted(&name)) };
                members.push((spelling, SECOND.to_owned()));
                found = Some((name, path.to_vec()));
            }
        });
        let Some((name, path)) = found else { return all };
        all.push(Doubled { text, name, path });
    }
    all
}

type Members = Vec<(String, String)>;

fn wanted_of(members: &Members, wanted: usize, first: usize) -> Option<String> {
    let (name, _) = members.get(wanted.checked_sub(first)?)?;
    view(name).to_text()
}

/// Writes a value anew; `change` may change the members of every object, each a name and a value as JSON text.
fn rewritten(
    value: View<'_>,
    path: &mut Vec<String>,
    change: &mut dyn FnMut(&[String], &mut Members),
) -> String {
    let mut inner = |step: String, value: View<'_>| {
        path.push(step);
        let text = rewritten(value, path, change);
        path.pop();
        text
    };
    match value.kind() {
        Kind::Object => {
            let members =
                value.members().map(|(name, value)| (quoted(&name.to_str()), inner(name.to_text(), value)));
            let mut members: Members = members.collect();
            change(path, &mut members);
            let members: Vec<_> =
                members.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
            format!("{{{}}}", members.join(","))
        }
        Kind::Array => {
            let elements = value.elements().enumerate().map(|(at, element)| inner(at.to_string(), element));
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        _ => value.as_str().to_owned(),
    }
}

fn quoted(name: &str) -> String {
    let mut text = String::new();
    push_string(&mut text, name);
    text
}

/// Spells the content of a string with escapes alone.
fn spelled(text: &str) -> String {
    let content = view(text).to_text().unwrap_or_default();
    let units: Vec<_> = content.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    format!("\"{}\"", units.concat())
}

fn view(text: &str) -> View<'_> {
    match View::new(text) {
        Ok(view) => view,
        Err(error) => crate::world::fail(&format!("{error}: {text}")),
    }
}
