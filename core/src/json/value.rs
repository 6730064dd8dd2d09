//! A JSON tree that loses nothing.

use alloc::{string::String, vec::Vec};

use super::{Expected, Kind, Name, SyntaxError, View, push_string};

/// The deepest nesting that a [`Value`] holds.
pub const MAX_DEPTH: usize = 128;

/// A JSON value as a tree: members in their order, duplicates kept, numbers as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in the digits of its text.
    Number(String),
    /// A string's content.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object; the first of two members with one name is the one that counts.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Parses a text of at most [`MAX_DEPTH`] levels.
    ///
    /// # Errors
    ///
    /// Says where the text stops being JSON, or where it nests too deep.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Self::from_view(View::new(text)?)
    }

    /// Builds the tree of a value of at most [`MAX_DEPTH`] levels.
    ///
    /// # Errors
    ///
    /// Says where the value nests too deep.
    pub fn from_view(view: View<'_>) -> Result<Self, SyntaxError> {
        Self::build(view, view.as_str(), MAX_DEPTH)
    }

    fn build(view: View<'_>, whole: &str, levels: usize) -> Result<Self, SyntaxError> {
        let deeper = || {
            levels.checked_sub(1).ok_or_else(|| SyntaxError {
                at: (view.as_str().as_ptr() as usize).saturating_sub(whole.as_ptr() as usize),
                expected: Expected::Shallow,
            })
        };
        Ok(match view.kind() {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(view.as_bool().unwrap_or_default()),
            Kind::Number => Self::Number(view.as_str().into()),
            Kind::String => Self::String(view.to_str().unwrap_or_default().into_owned()),
            Kind::Array => {
                let levels = deeper()?;
                Self::Array(
                    view.elements()
                        .map(|element| Self::build(element, whole, levels))
                        .collect::<Result<_, _>>()?,
                )
            }
            Kind::Object => {
                let levels = deeper()?;
                let member = |(name, value): (Name<'_>, View<'_>)| {
                    Ok((name.to_text(), Self::build(value, whole, levels)?))
                };
                Self::Object(view.members().map(member).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Returns what the value is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }

    /// Returns the first member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Returns the content of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(content) => Some(content),
            _ => None,
        }
    }

    /// Appends the value's text in its shortest form.
    pub fn push_to(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(digits) => out.push_str(digits),
            Self::String(content) => push_string(out, content),
            Self::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    element.push_to(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    push_string(out, name);
                    out.push(':');
                    value.push_to(out);
                }
                out.push('}');
            }
        }
    }
}

impl core::fmt::Display for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = String::new();
        self.push_to(&mut out);
        f.write_str(&out)
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn a_tree_writes_what_it_read() {
        let text = r#"{"n":12345678901234567890,"f":1.10,"e":1E400,"n":[null,true,"é\n\u0001\""],"o":{}}"#;
        assert_eq!(Value::parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn the_depth_is_bounded_and_the_place_is_named() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Value::parse(&nested(MAX_DEPTH)).is_ok());
        let error = Value::parse(&nested(MAX_DEPTH + 1)).unwrap_err();
        assert_eq!(error, SyntaxError { at: MAX_DEPTH, expected: Expected::Shallow });
        assert_eq!(error.to_string(), "invalid JSON at column 129: expected at most 128 levels of nesting");
    }
}
