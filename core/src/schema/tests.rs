//! What schemas are read as, and what is lost on the way.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{
    build::build,
    ir::{Literal, NodeId, Shape, Types},
    loss::{Ledger, Reason},
};
use crate::codegen::Listing;

/// Shows a type in a few characters, down to some levels.
fn show(types: &Types<'_>, id: NodeId, levels: usize) -> String {
    let Some(below) = levels.checked_sub(1) else { return "…".into() };
    let inner = |id: &NodeId| show(types, *id, below);
    let several = |ids: &[NodeId], between: &str| ids.iter().map(inner).collect::<Vec<_>>().join(between);
    match types.shape(id) {
        Shape::Any => "any".into(),
        Shape::Null => "null".into(),
        Shape::Bool => "bool".into(),
        Shape::Int => "int".into(),
        Shape::Num => "num".into(),
        Shape::Str => "str".into(),
        Shape::Literals(literals) => {
            let word = |literal: &Literal<'_>| match literal {
                Literal::Bool(value) => value.to_string(),
                Literal::Int(number) => number.to_string(),
                Literal::Str(text) => format!("'{text}'"),
            };
            literals.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        Shape::List(item) => format!("[{}]", inner(item)),
        Shape::Tuple(parts) => format!("({})", several(parts, ", ")),
        Shape::Map(value) => format!("{{*: {}}}", inner(value)),
        Shape::Nullable(value) => format!("{}?", inner(value)),
        Shape::Union(parts) => several(parts, " | "),
        Shape::Tagged(tagged) => {
            let parts = tagged.variants.iter().map(|(value, id)| format!("{value} {}", inner(id)));
            format!("by {}: {}", tagged.tag, parts.collect::<Vec<_>>().join(" | "))
        }
        Shape::Record(record) => {
            let member = |field: &super::ir::Field<'_>| {
                let mark = if field.is_required { "" } else { "?" };
                format!("{}{mark}: {}", field.name, inner(&field.node))
            };
            let mut members: Vec<_> = record.fields.iter().map(member).collect();
            members.extend(record.rest.as_ref().map(|rest| format!("*: {}", inner(rest))));
            format!("{{{}}}", members.join(", "))
        }
    }
}

/// Reads a schema as the parameter `p` of a tool, beside some definitions; returns what it is and what was lost.
fn read_with(schema: &str, definitions: &str) -> (String, Vec<(String, Reason)>) {
    let text = format!(
        r#"[{{"name":"t","inputSchema":{{"type":"object","properties":{{"p":{schema}}},"required":["p"],"$defs":{{{definitions}}}}}}}]"#
    );
    let listing = Listing::parse(&text).unwrap();
    let tools: Vec<_> = listing.tools().collect();
    let mut losses = Ledger::default();
    let types = build(&tools, &mut losses);
    let shown = show(&types, types.tools[0].input, 6);
    let shown = shown.strip_prefix("{p: ").and_then(|shown| shown.strip_suffix('}')).unwrap().to_string();
    let mut lost: Vec<_> = losses.finish().into_iter().map(|loss| (loss.path, loss.reason)).collect();
    lost.extend(types.cut.values().map(|reason| (String::new(), reason.clone())));
    (shown, lost)
}

fn read(schema: &str) -> (String, Vec<Reason>) {
    let (shown, lost) = read_with(schema, "");
    (shown, lost.into_iter().map(|(_, reason)| reason).collect())
}

#[test]
fn every_way_to_say_null_is_one_nullable_type() {
    for schema in [
        r#"{"type":["string","null"]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"oneOf":[{"const":null},{"type":"string"}]}"#,
        r#"{"type":"string","nullable":true}"#,
        r#"{"anyOf":[{"type":["string","null"]},{"type":"string","nullable":true}],"nullable":true}"#,
    ] {
        assert_eq!(read(schema), ("str?".into(), vec![]), "{schema}");
    }
    assert_eq!(read(r#"{"enum":["a",null]}"#).0, "'a'?");
    assert_eq!(read(r#"{"type":"null","nullable":true}"#).0, "null");
    assert_eq!(read(r#"{"nullable":true}"#).0, "any");
}

#[test]
fn constants_are_listed_once_and_the_odd_ones_widen() {
    for (schema, shown, lost) in [
        (r#"{"enum":["b","a","b",1,true]}"#, "'b' 'a' 1 true", None),
        (r#"{"enum":[true,false]}"#, "bool", None),
        (r#"{"const":"x"}"#, "'x'", None),
        (r#"{"const":null}"#, "null", None),
        (r#"{"const":{"a":1}}"#, "any", Some(Reason::OddConstant)),
        (r#"{"enum":["a",1.5]}"#, "any", Some(Reason::OddConstant)),
        (r#"{"enum":[1,1.5]}"#, "num", Some(Reason::OddConstant)),
        (r#"{"enum":[9007199254740993]}"#, "num", Some(Reason::OddConstant)),
        (r#"{"enum":[]}"#, "any", Some(Reason::EmptyEnum)),
        (r#"{"enum":"a","type":"string"}"#, "str", Some(Reason::Malformed("enum"))),
    ] {
        assert_eq!(read(schema), (shown.into(), Vec::from_iter(lost)), "{schema}");
    }
}

#[test]
fn alternatives_that_others_include_vanish_and_a_constant_member_tells_records_apart() {
    for (schema, shown) in [
        (r#"{"anyOf":[{"type":"integer"},{"type":"number"},{"const":3}]}"#, "num"),
        (r#"{"anyOf":[{"const":"a"},{"enum":["a","b"]}]}"#, "'a' 'b'"),
        (r#"{"anyOf":[{"type":"string"},{"const":"a"},{"type":"array"}]}"#, "str | [any]"),
        (r#"{"anyOf":[{"type":"string"},{}]}"#, "any"),
        (r#"{"type":["object","array"],"items":{"type":"string"}}"#, "{*: any} | [str]"),
        (
            r#"{"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k"]},
                         {"properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
            "by k: a {k: 'a', x?: str} | b {k: 'b'}",
        ),
    ] {
        assert_eq!(read(schema), (shown.into(), vec![]), "{schema}");
    }
}

/// Nothing proves which record it is where a tag repeats, may be absent or is no constant.
#[test]
fn records_without_a_provable_tag_stay_a_union() {
    let record = |tag: &str, required: &str| {
        format!(
            r#"{{"type":"object","properties":{{"k":{tag},"x":{{"type":"string"}}}},"required":[{required}]}}"#
        )
    };
    for (one, other, shown) in [
        (
            record(r#"{"const":"a"}"#, "\"k\""),
            record(r#"{"const":"b"}"#, ""),
            "{k: 'a', x?: str} | {k?: 'b', x?: str}",
        ),
        (
            record(r#"{"const":"a"}"#, "\"k\""),
            record(r#"{"const":"a"}"#, "\"k\",\"x\""),
            "{k: 'a', x?: str} | {k: 'a', x: str}",
        ),
        (
            record(r#"{"const":"a"}"#, "\"k\""),
            record(r#"{"type":"string"}"#, "\"k\""),
            "{k: 'a', x?: str} | {k: str, x?: str}",
        ),
        (
            record(r#"{"const":1}"#, "\"k\""),
            record(r#"{"const":2}"#, "\"k\""),
            "{k: 1, x?: str} | {k: 2, x?: str}",
        ),
    ] {
        let schema = format!(r#"{{"anyOf":[{one},{other}]}}"#);
        assert_eq!(read(&schema), (shown.into(), vec![]), "{schema}");
    }
}

#[test]
fn parts_of_all_of_become_one_type_or_a_conflict() {
    for (schema, shown, lost) in [
        (
            r#"{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}}}]}"#,
            "{a: str, b?: int}",
            None,
        ),
        (r#"{"allOf":[{"type":"object"},{"properties":{"a":{"type":"string"}}}]}"#, "{a?: str}", None),
        (r#"{"type":"string","allOf":[{"enum":["a","b"],"type":"string"}]}"#, "'a' 'b'", None),
        (r#"{"allOf":[{},true,{"type":"integer"}]}"#, "int", None),
        (r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, "any", Some(Reason::Conflict)),
        (r#"{"allOf":[{"type":"string"},false]}"#, "any", Some(Reason::NoValue)),
        (r#"{"allOf":{"type":"string"}}"#, "any", Some(Reason::Malformed("allOf"))),
        (
            r#"{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}]}"#,
            "{a?: any}",
            Some(Reason::Conflict),
        ),
    ] {
        assert_eq!(read(schema), (shown.into(), Vec::from_iter(lost)), "{schema}");
    }
}

#[test]
fn objects_are_maps_or_records_and_lists_are_tuples_when_short_and_closed() {
    for (schema, shown, lost) in [
        (r#"{"type":"object"}"#, "{*: any}", None),
        (r#"{"additionalProperties":{"type":"number"}}"#, "{*: num}", None),
        (r#"{"additionalProperties":false}"#, "{}", None),
        (
            r#"{"patternProperties":{"^x":{"type":"number"}}}"#,
            "{*: num}",
            Some(Reason::Unchecked("patternProperties")),
        ),
        (r#"{"properties":{"a":true},"additionalProperties":{"type":"number"}}"#, "{a?: any, *: num}", None),
        (
            r#"{"properties":{"a":{"type":"string"}},"required":["b","a"]}"#,
            "{b: any, a: str}",
            Some(Reason::Undeclared),
        ),
        (r#"{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}"#, "(str, int)", None),
        (r#"{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}"#, "(str, int)", None),
        (
            r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#,
            "[str | int]",
            Some(Reason::WideTuple),
        ),
        (r#"{"items":[{"type":"string"}]}"#, "[any]", Some(Reason::WideTuple)),
    ] {
        assert_eq!(read(schema), (shown.into(), Vec::from_iter(lost)), "{schema}");
    }
}

#[test]
fn a_reference_is_an_edge_and_a_cycle_without_a_record_is_cut() {
    let node = r##""N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"},"all":{"type":"array","items":{"$ref":"#/$defs/N"}}}}"##;
    let (shown, lost) = read_with(r##"{"$ref":"#/$defs/N"}"##, node);
    assert!(shown.starts_with("{next?: {next?: "), "{shown}");
    assert_eq!(lost, vec![]);
    for (definitions, reason) in [
        (r##""N":{"$ref":"#/$defs/M"},"M":{"$ref":"#/$defs/N"}"##, Reason::ReferenceLoop),
        (r##""N":{"type":"array","items":{"$ref":"#/$defs/N"}}"##, Reason::ReferenceLoop),
        (
            r##""N":{"anyOf":[{"type":"string"},{"additionalProperties":{"$ref":"#/$defs/N"}}]}"##,
            Reason::ReferenceLoop,
        ),
        (r#""N":{"$ref":"other.json"}"#, Reason::ForeignReference),
        (r#""N":7"#, Reason::DanglingReference),
    ] {
        let (shown, lost) = read_with(r##"{"$ref":"#/$defs/N"}"##, definitions);
        assert_eq!(shown, "any", "{definitions}");
        assert!(!lost.is_empty() && lost.iter().all(|(_, lost)| *lost == reason), "{definitions}: {lost:?}");
    }
}

#[test]
fn every_budget_cuts_with_a_loss_at_its_place() {
    let deep = (0..60).fold(r#"{"type":"string"}"#.to_string(), |inner, _| {
        format!(r#"{{"type":"array","items":{inner}}}"#)
    });
    let many = |count: usize, one: fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(",");
    let literals = format!(r#"{{"enum":[{}]}}"#, many(1_001, |at| format!("\"{at}\"")));
    let bytes = format!(r#"{{"enum":["{}","b"]}}"#, "x".repeat(33 << 10));
    let fields = format!(r#"{{"properties":{{{}}}}}"#, many(1_001, |at| format!("\"m{at}\":true")));
    let alternatives = format!(r#"{{"anyOf":[{}]}}"#, many(257, |_| r#"{"type":"string"}"#.into()));
    let nodes = format!(
        r#"{{"properties":{{{}}}}}"#,
        many(900, |at| format!(
            r#""m{at}":{{"properties":{{"a":{{"type":"array"}},"b":{{"type":"array"}},"c":{{"type":"array"}}}}}}"#
        ))
    );
    for (name, schema) in [
        ("deep", deep),
        ("literals", literals),
        ("bytes", bytes),
        ("fields", fields),
        ("alternatives", alternatives),
        ("nodes", nodes),
    ] {
        let (_, lost) = read_with(&schema, "");
        assert!(!lost.is_empty(), "{name}");
        assert!(lost.iter().all(|(_, reason)| *reason == Reason::TooLarge), "{name}: {lost:?}");
        assert!(
            lost.iter().all(|(path, _)| path.starts_with("/inputSchema/properties/p")),
            "{name}: {lost:?}"
        );
    }
    let union = |from: usize| {
        let constants: Vec<_> =
            (from..from + 250).map(|at| format!(r#"{{"type":"array","items":{{"const":{at}}}}}"#)).collect();
        format!(r#"{{"anyOf":[{}]}}"#, constants.join(","))
    };
    let nested = format!(r#"{{"anyOf":[{},{},{{"anyOf":[{}]}}]}}"#, union(0), union(250), union(500));
    let (shown, lost) = read_with(&nested, "");
    assert_eq!(shown, "any");
    assert!(lost.iter().all(|(_, reason)| *reason == Reason::TooLarge) && !lost.is_empty(), "{lost:?}");
}
