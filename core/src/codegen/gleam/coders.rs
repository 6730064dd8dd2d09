//! Writes the Gleam functions that translate a type to a value and back.

use alloc::{format, vec::Vec};

use super::{
    Names, Way, members, write_applied, write_constant, write_constant_member, write_maybe, write_rest,
};
use crate::{
    codegen::{
        module::Module,
        typed::{Work, patterns},
    },
    schema::ir::{NodeId, Record, Shape},
};

/// What a value of each kind matches.
const PATTERNS: [&str; 5] = [
    "report.BoolValue(_)",
    "report.IntValue(_) | report.FloatValue(_)",
    "report.StringValue(_)",
    "report.ArrayValue(_)",
    "report.MapValue(_)",
];

/// Writes the function that translates a type.
pub(super) fn write_coder(body: &mut Module, work: &Work<'_>, names: &Names, id: NodeId, way: Way) {
    let coders = if way == Way::Encode { &names.encoders } else { &names.decoders };
    if let Some(name) = coders.get(&id) {
        body.word(name);
        return;
    }
    write_plain_coder(body, work, names, id, way);
}

fn write_plain_coder(body: &mut Module, work: &Work<'_>, names: &Names, id: NodeId, way: Way) {
    let pick = |encode: &'static str, decode: &'static str| if way == Way::Encode { encode } else { decode };
    let (text, inner) = match work.types.shape(id) {
        Shape::Null => (pick("internal.null", "internal.as_null"), None),
        Shape::Bool => (pick("report.bool", "internal.as_bool"), None),
        Shape::Int => (pick("report.int", "internal.as_int"), None),
        Shape::Num => (pick("internal.number", "internal.as_float"), None),
        Shape::Str => (pick("report.string", "internal.as_string"), None),
        Shape::List(inner) => (pick("internal.list(", "internal.as_list("), Some(*inner)),
        Shape::Map(inner) => (pick("internal.map(", "internal.as_map("), Some(*inner)),
        Shape::Nullable(inner) => (pick("internal.nullable(", "internal.as_nullable("), Some(*inner)),
        _ => (pick("internal.same", "internal.as_value"), None),
    };
    body.raw(text);
    let Some(inner) = inner else { return };
    write_coder(body, work, names, inner, way);
    body.raw(")");
}

pub(super) fn write_encoder(body: &mut Module, work: &Work<'_>, names: &Names, id: NodeId) {
    let (Some(name), Some(function)) = (work.names.get(&id), names.encoders.get(&id)) else { return };
    let variants = names.variants.get(&id).map_or(&[][..], Vec::as_slice);
    let is_read = !matches!(work.types.shape(id), Shape::Record(record)
        if record.rest.is_none() && members(work, record).next().is_none());
    body.raw("\nfn ").word(function).raw(if is_read { "(value: " } else { "(_value: " });
    body.word(name).raw(") -> report.Value {\n  ");
    match work.types.shape(id) {
        Shape::Record(record) => {
            body.raw("internal.object([");
            let mut before = "";
            for field in &record.fields {
                body.raw(before);
                before = ", ";
                if write_constant_member(body, work, field) {
                    continue;
                }
                if !field.is_required {
                    write_maybe(body, work, names, "value", field);
                    continue;
                }
                let label = work.label(field);
                body.raw("internal.with(").literal(&field.name).raw(", value.").word(label).raw(", ");
                write_coder(body, work, names, field.node, Way::Encode);
                body.raw(")");
            }
            if let Some(rest) = record.rest {
                write_rest(body, work, names, before, "value", rest);
            }
            body.raw("])");
        }
        Shape::Literals(literals) => {
            body.raw("case value {\n");
            for (variant, literal) in variants.iter().zip(literals) {
                body.raw("    ").word(variant).raw(" -> ");
                write_constant(body, literal);
                body.raw("\n");
            }
            body.raw("  }");
        }
        Shape::Tagged(_) | Shape::Union(_) if !variants.is_empty() && !work.is_opaque(id) => {
            body.raw("case value {\n");
            for (variant, part) in variants.iter().zip(parts(work, id)) {
                body.raw("    ").word(variant).raw("(value) -> ");
                write_applied(body, work, names, part, "value");
                body.raw("\n");
            }
            body.raw("  }");
        }
        _ => {
            write_plain_coder(body, work, names, id, Way::Encode);
            body.raw("(value)");
        }
    }
    body.raw("\n}\n");
}

fn parts(work: &Work<'_>, id: NodeId) -> Vec<NodeId> {
    let mut parts = Vec::new();
    work.types.shape(id).edges(|to| parts.push(to));
    parts
}

pub(super) fn write_decoder(body: &mut Module, work: &Work<'_>, names: &Names, id: NodeId) {
    let (Some(name), Some(function)) = (work.names.get(&id), names.decoders.get(&id)) else { return };
    let variants = names.variants.get(&id).map_or(&[][..], Vec::as_slice);
    body.raw("\nfn ").word(function).raw("(value: report.Value) -> Result(").word(name);
    body.raw(", mcp.DecodeError) {\n  ");
    match work.types.shape(id) {
        Shape::Record(record) => write_record_decoder(body, work, names, name, record),
        Shape::Literals(literals) => {
            body.raw("internal.choose(value, [");
            for (at, (variant, literal)) in variants.iter().zip(literals).enumerate() {
                body.raw(if at > 0 { ", #(" } else { "#(" });
                write_constant(body, literal);
                body.raw(", ").word(variant).raw(")");
            }
            body.raw("])");
        }
        Shape::Tagged(tagged) => {
            body.raw("use tag <- internal.tag(value, ").literal(&tagged.tag).raw(")\n  case tag {\n");
            for (variant, (value, part)) in variants.iter().zip(&tagged.variants) {
                body.raw("    ").literal(value).raw(" -> internal.then(");
                write_coder(body, work, names, *part, Way::Decode);
                body.raw("(value), ").word(variant).raw(")\n");
            }
            body.raw("    _ -> internal.no_alternative()\n  }");
        }
        Shape::Union(parts) if work.types.are_apart(parts) => {
            body.raw("case value {\n");
            for (variant, part) in variants.iter().zip(parts) {
                body.raw(&patterns(work.types.kinds(*part), PATTERNS, "    "));
                body.raw(" -> internal.then(");
                write_coder(body, work, names, *part, Way::Decode);
                body.raw("(value), ").word(variant).raw(")\n");
            }
            body.raw("    _ -> internal.no_alternative()\n  }");
        }
        _ => {
            write_plain_coder(body, work, names, id, Way::Decode);
            body.raw("(value)");
        }
    }
    body.raw("\n}\n");
}

fn write_record_decoder(body: &mut Module, work: &Work<'_>, names: &Names, name: &str, record: &Record<'_>) {
    let is_read = !record.fields.is_empty() || record.rest.is_some();
    body.raw(if is_read {
        "use members <- internal.members(value)\n  "
    } else {
        "use _ <- internal.members(value)\n  "
    });
    for field in record.fields.iter().filter(|field| field.is_required) {
        let Some(constant) = work.constant(field.node) else { continue };
        body.raw("use _ <- internal.constant(members, ").literal(&field.name).raw(", ");
        write_constant(body, constant);
        body.raw(")\n  ");
    }
    for (at, field) in members(work, record).enumerate() {
        body.raw("use ").word(&format!("v{at}"));
        body.raw(if field.is_required {
            " <- internal.required(members, "
        } else {
            " <- internal.optional(members, "
        });
        body.literal(&field.name).raw(", ");
        write_coder(body, work, names, field.node, Way::Decode);
        body.raw(")\n  ");
    }
    if let Some(rest) = record.rest {
        body.raw("use rest <- internal.others(members, [");
        for (at, field) in record.fields.iter().enumerate() {
            body.raw(if at > 0 { ", " } else { "" }).literal(&field.name);
        }
        body.raw("], ");
        write_coder(body, work, names, rest, Way::Decode);
        body.raw(")\n  ");
    }
    let has_members = record.rest.is_some() || members(work, record).next().is_some();
    body.raw("Ok(").word(name).raw(if has_members { "(" } else { "" });
    let mut before = "";
    for (at, field) in members(work, record).enumerate() {
        body.raw(before).word(work.label(field)).raw(": ").word(&format!("v{at}"));
        before = ", ";
    }
    if record.rest.is_some() {
        body.raw(before).raw("rest: rest");
    }
    body.raw(if has_members { "))" } else { ")" });
}
