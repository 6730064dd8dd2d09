//! The reading of an input schema that profile `loom` works from: total, in three tiers.
//!
//! A parameter is plain or a list of plain values, or structured with a reason, or the whole top level is one
//! value with a reason. No parameter is ever dropped, and every look-up is keyed, so the cost is linear in
//! whatever a server lists.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::loss::Reason;
use crate::{
    codegen::text::{Hidden, clean},
    json::{Item, Kind},
    map::{BTreeMap, BTreeSet},
};

/// The most characters of a server's word that a reason quotes.
const MAX_QUOTED: usize = 120;

/// How the arguments of a tool are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan<'t> {
    /// One parameter for each required member, and the rest as options.
    Typed {
        /// The required members, in the order of `required`.
        required: Vec<Param<'t>>,
        /// The others, in the order of `properties`.
        optional: Vec<Optional<'t>>,
    },
    /// One value that is passed whole.
    WholeValue(Reason),
}

/// A required member of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param<'t> {
    /// Its name on the wire.
    pub name: Cow<'t, str>,
    /// What it takes.
    pub kind: ParamType,
    /// The string members of its enumeration.
    pub choices: Vec<Cow<'t, str>>,
    /// The server's text about it.
    pub note: Option<Cow<'t, str>>,
}

/// An optional member of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optional<'t> {
    /// Its name on the wire.
    pub name: Cow<'t, str>,
    /// The server's text about it.
    pub note: Option<Cow<'t, str>>,
    /// Any value is all that its schema says.
    pub is_open: bool,
}

/// What a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// A plain value.
    Simple(Scalar),
    /// A list of plain values.
    ListOf(Scalar),
    /// Any value, for a reason.
    Structured(Reason),
}

/// A plain type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `string`.
    String,
    /// `integer`.
    Integer,
    /// `number`.
    Number,
    /// `boolean`.
    Boolean,
}

/// Reads an input schema.
#[must_use]
pub fn plan(schema: Item<'_>) -> Plan<'_> {
    match read(schema) {
        Ok(plan) => plan,
        Err(reason) => Plan::WholeValue(reason),
    }
}

fn read(schema: Item<'_>) -> Result<Plan<'_>, Reason> {
    if schema.kind() != Kind::Object {
        return Err(Reason::NotAnObject);
    }
    let [kind, properties, required] = schema.pick(["type", "properties", "required"]);
    match kind {
        Some(kind) if kind.is_str("object") => {}
        Some(kind) => return Err(Reason::TopLevelType(quote(kind))),
        None => return Err(Reason::NoType),
    }
    if properties.is_some_and(|properties| properties.kind() != Kind::Object) {
        return Err(Reason::BadProperties);
    }
    let required = required.map(read_required).transpose()?.unwrap_or_default();

    let mut declared = BTreeMap::new();
    let mut order = Vec::new();
    for (name, schema) in properties.into_iter().flat_map(Item::members) {
        let name = name.to_str();
        if let crate::map::Entry::Vacant(entry) = declared.entry(name.clone()) {
            entry.insert(schema);
            order.push(name);
        }
    }
    // What is collected from lists of the right length is held in no more than it takes.
    let (mut names, mut demanded) = (required, BTreeSet::new());
    names.retain(|name| demanded.insert(name.clone()));
    order.retain(|name| !demanded.contains(name));
    drop(demanded);
    let required = names.into_iter().map(|name| param(declared.get(&name).copied(), name)).collect();
    let optional = order
        .into_iter()
        .map(|name| {
            let schema = declared.get(&name).copied();
            let kind = schema.map_or(ParamType::Structured(Reason::AnyValue), param_type);
            let is_open = matches!(kind, ParamType::Structured(Reason::AnyValue | Reason::NoType));
            Optional { note: schema.and_then(note), name, is_open }
        })
        .collect();
    Ok(Plan::Typed { required, optional })
}

fn read_required(required: Item<'_>) -> Result<Vec<Cow<'_, str>>, Reason> {
    if required.kind() != Kind::Array {
        return Err(Reason::BadRequired);
    }
    required.elements().map(|name| name.to_str().ok_or(Reason::BadRequiredName)).collect()
}

fn param<'t>(schema: Option<Item<'t>>, name: Cow<'t, str>) -> Param<'t> {
    let Some(schema) = schema else {
        let kind = ParamType::Structured(Reason::Undeclared);
        return Param { name, kind, choices: Vec::new(), note: None };
    };
    let kind = param_type(schema);
    let choices = match kind {
        ParamType::Simple(_) => {
            schema.get("enum").into_iter().flat_map(Item::elements).filter_map(Item::to_str).collect()
        }
        _ => Vec::new(),
    };
    Param { name, kind, choices, note: note(schema) }
}

fn param_type(schema: Item<'_>) -> ParamType {
    ParamType::Structured(match schema.kind() {
        Kind::Bool if schema.as_bool() == Some(true) => Reason::AnyValue,
        Kind::Bool => Reason::NoValue,
        Kind::Object => match schema.get("type") {
            Some(kind) if kind.is_str("array") => match element(schema) {
                Some(scalar) => return ParamType::ListOf(scalar),
                None => Reason::NestedList,
            },
            Some(kind) => match scalar(kind) {
                Some(scalar) => return ParamType::Simple(scalar),
                None if kind.kind() == Kind::Array => Reason::TypeList,
                None => Reason::BeyondSubset(quote(kind)),
            },
            None => untyped(schema),
        },
        _ => Reason::BadSchema,
    })
}

fn element(schema: Item<'_>) -> Option<Scalar> {
    schema.get("items").filter(|items| items.kind() == Kind::Object)?.get("type").and_then(scalar)
}

fn scalar(kind: Item<'_>) -> Option<Scalar> {
    [
        ("string", Scalar::String),
        ("integer", Scalar::Integer),
        ("number", Scalar::Number),
        ("boolean", Scalar::Boolean),
    ]
    .into_iter()
    .find_map(|(word, scalar)| kind.is_str(word).then_some(scalar))
}

fn untyped(schema: Item<'_>) -> Reason {
    const KEYWORDS: [&str; 7] = ["$ref", "anyOf", "oneOf", "allOf", "const", "enum", "not"];
    let found = schema.pick(KEYWORDS);
    let first = KEYWORDS.iter().zip(found).find(|(_, value)| value.is_some());
    first.map_or(Reason::NoType, |(keyword, _)| Reason::Combinator(keyword))
}

fn note(schema: Item<'_>) -> Option<Cow<'_, str>> {
    schema.get("description").and_then(Item::to_str)
}

/// Quotes a server's value in a reason: a string with its quotes, anything else by its kind.
fn quote(value: Item<'_>) -> String {
    value.to_str().map_or_else(
        || format!("given as {}", value.kind().name()),
        |word| format!("\"{}\"", clean(&word, MAX_QUOTED, Hidden::Extended)),
    )
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString, vec, vec::Vec};

    use super::*;
    use crate::json::Tape;

    fn reason_of(schema: &str) -> Option<Reason> {
        match plan(Tape::parse(schema).unwrap().root()) {
            Plan::WholeValue(reason) => Some(reason),
            Plan::Typed { .. } => None,
        }
    }

    #[test]
    fn the_top_level_is_judged_in_order() {
        for (schema, reason) in [
            ("null", Reason::NotAnObject),
            ("true", Reason::NotAnObject),
            ("[]", Reason::NotAnObject),
            (r#"{"type":["object"],"properties":1}"#, Reason::TopLevelType("given as array".into())),
            (r#"{"type":"string","properties":1}"#, Reason::TopLevelType("\"string\"".into())),
            (r#"{"properties":1,"required":1}"#, Reason::NoType),
            (r#"{"type":"object","properties":[],"required":1}"#, Reason::BadProperties),
            (r#"{"type":"object","required":{}}"#, Reason::BadRequired),
            (r#"{"type":"object","required":["a",2]}"#, Reason::BadRequiredName),
        ] {
            assert_eq!(reason_of(schema), Some(reason), "{schema}");
        }
        assert_eq!(reason_of(r#"{"type":"object"}"#), None);
    }

    #[test]
    fn no_parameter_is_dropped_and_the_first_of_two_counts() {
        let text = r#"{"type":"object","required":["ghost","b","b"],
            "properties":{"a":{"type":"string","description":"x"},"b":{"type":"integer"},
                          "a":{"type":"boolean"},"b":{"type":"boolean"},"c":false}}"#;
        let tape = Tape::parse(text).unwrap();
        let Plan::Typed { required, optional } = plan(tape.root()) else { panic!("typed") };
        let seen: Vec<_> =
            required.iter().map(|param| (param.name.to_string(), param.kind.clone())).collect();
        assert_eq!(
            seen,
            vec![
                ("ghost".to_string(), ParamType::Structured(Reason::Undeclared)),
                ("b".to_string(), ParamType::Simple(Scalar::Integer)),
            ]
        );
        let names: Vec<_> = optional.iter().map(|param| (&*param.name, param.note.as_deref())).collect();
        assert_eq!(names, vec![("a", Some("x")), ("c", None)]);
    }

    #[test]
    fn a_property_is_plain_a_list_of_plain_or_structured() {
        for (schema, kind) in [
            (r#"{"type":"string","anyOf":[1],"enum":["a",3]}"#, ParamType::Simple(Scalar::String)),
            (r#"{"type":"array","items":{"type":"number"}}"#, ParamType::ListOf(Scalar::Number)),
            (r#"{"type":"array"}"#, ParamType::Structured(Reason::NestedList)),
            (r#"{"type":"array","items":[{"type":"number"}]}"#, ParamType::Structured(Reason::NestedList)),
            (r#"{"type":["string","null"]}"#, ParamType::Structured(Reason::TypeList)),
            (r#"{"type":"object"}"#, ParamType::Structured(Reason::BeyondSubset("\"object\"".into()))),
            (r##"{"$ref":"#"}"##, ParamType::Structured(Reason::Combinator("$ref"))),
            ("{}", ParamType::Structured(Reason::NoType)),
            ("true", ParamType::Structured(Reason::AnyValue)),
            ("false", ParamType::Structured(Reason::NoValue)),
            ("7", ParamType::Structured(Reason::BadSchema)),
        ] {
            let text = format!(r#"{{"type":"object","properties":{{"p":{schema}}},"required":["p"]}}"#);
            let tape = Tape::parse(&text).unwrap();
            let Plan::Typed { required, .. } = plan(tape.root()) else { panic!("typed") };
            assert_eq!(required[0].kind, kind, "{schema}");
        }
    }
}
