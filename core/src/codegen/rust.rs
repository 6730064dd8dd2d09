//! Writes Rust: a struct of arguments for each tool, and methods over a small trait that carries the calls.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    GenerateError, Options,
    comment::CommentWriter,
    module::Module,
    surface,
    typed::{Shown, Work, kind_word, literal_word, members, patterns, push_docs},
};
use crate::{
    name::{Allocator, Language},
    schema::ir::{Field, Literal, NodeId, Record, Shape},
};

const COMMENTS: CommentWriter = CommentWriter::docs(Language::Rust, "    ");
const DECODE: &str = " {\n    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {\n";
const DERIVES: &str = "#[derive(Clone, Debug, PartialEq)]\n";

pub(super) fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    let work = &*work;
    let mut module = Module::new(Language::Rust);
    module.raw(
        "\n#![allow(dead_code, unused_imports, clippy::all, clippy::pedantic, rustdoc::all)]\n\n\
         use super::selvedge::{call, Choice, Constant, Decode, Encode, Invoke, Json, Mismatch, Object, Path, Reply, Untyped};\n\
         use std::collections::BTreeMap;\n",
    );
    for id in &work.order {
        module.raw("\n");
        write_declaration(&mut module, work, *id);
        options.check_source(module.out.len())?;
    }
    module.raw("\n/// The tools of one MCP server.\npub struct Tools<I> {\n    invoke: I,\n}\n\n");
    module.raw("impl<I: Invoke> Tools<I> {\n    /// Calls through this.\n    pub fn new(invoke: I) -> Self {\n        Self { invoke }\n    }\n");
    let mut shown = Vec::with_capacity(work.functions.len());
    for at in 0..work.functions.len() {
        let signature = signature(work, at);
        module.raw("\n");
        push_docs(&mut module.out, COMMENTS, work, at);
        module.raw("    pub fn ").adopt(&signature).raw(" {\n        ");
        write_call(&mut module, work, at);
        module.raw("\n    }\n");
        shown.push(Shown::new(signature.out.replacen("&self, ", "", 1).replacen("&self", "", 1)));
        options.check_source(module.out.len())?;
    }
    module.raw("}\n");
    surface::assign(work, &mut shown, |id| compact(work, id).out.into());
    Ok((module, shown))
}

fn takes_nothing(work: &Work<'_>, input: NodeId) -> bool {
    work.parameters(input)
        .is_some_and(|record| record.rest.is_none() && members(work, record).next().is_none())
}

fn signature(work: &Work<'_>, at: usize) -> Module {
    let mut piece = Module::new(Language::Rust);
    let (Some(function), Some(tool)) = (work.functions.get(at), work.types.tools.get(at)) else {
        return piece;
    };
    piece.word(&function.name).raw("(&self");
    if !takes_nothing(work, tool.input) {
        piece.raw(", args: ");
        match work.types.shape(tool.input) {
            Shape::Any => _ = piece.raw("Json"),
            _ => write_type(&mut piece, work, tool.input),
        }
    }
    if let Some(output) = tool.output {
        piece.raw(") -> Reply<");
        write_type(&mut piece, work, output);
        piece.raw(">");
    } else {
        piece.raw(") -> Untyped");
    }
    piece
}

fn write_call(module: &mut Module, work: &Work<'_>, at: usize) {
    let Some(tool) = work.types.tools.get(at) else { return };
    module.raw("call(&self.invoke, ").literal(work.server).raw(", ").literal(&tool.name).raw(", ");
    if !takes_nothing(work, tool.input) {
        module.raw("args.encode())");
        return;
    }
    let fields = work.parameters(tool.input).map_or(&[][..], |record| record.fields.as_slice());
    module.raw("Object::new()");
    for field in fields {
        write_constant_member(module, work, field);
    }
    module.raw(".finish())");
}

fn write_constant_member(module: &mut Module, work: &Work<'_>, field: &Field<'_>) {
    let Some(constant) = work.constant(field.node) else { return };
    module.raw(".with(").literal(&field.name).raw(", ");
    write_constant(module, constant);
    module.raw(".json())");
}

fn write_constant(module: &mut Module, literal: &Literal<'_>) {
    match literal {
        Literal::Bool(value) => {
            module.raw(if *value { "Constant::Bool(true)" } else { "Constant::Bool(false)" })
        }
        Literal::Int(number) => module.raw(&format!("Constant::Int({number})")),
        Literal::Str(text) => module.raw("Constant::Text(").literal(text).raw(")"),
    };
}

fn write_declaration(module: &mut Module, work: &Work<'_>, id: NodeId) {
    let Some(name) = work.names.get(&id) else { return };
    match work.types.shape(id) {
        Shape::Record(record) => write_record(module, work, id, name, record),
        Shape::Literals(literals) => write_choice(module, name, literals),
        Shape::Tagged(tagged) => {
            let variants = variants(tagged.variants.iter().map(|(value, id)| (&**value, *id)));
            write_enum(module, work, id, name, &variants);
            write_tagged(module, name, &tagged.tag, &tagged.variants, &variants);
        }
        Shape::Union(parts) if work.types.are_apart(parts) => {
            let variants: Vec<_> = parts
                .iter()
                .map(|part| (kind_word(work.types.kinds(*part), KIND_WORDS).to_string(), *part))
                .collect();
            write_enum(module, work, id, name, &variants);
            write_by_kind(module, work, name, &variants);
        }
        _ => {
            module.raw("/// A type that several others share.\npub type ").word(name).raw(" = ");
            write_shape(module, work, id);
            module.raw(";\n");
        }
    }
}

fn write_record(module: &mut Module, work: &Work<'_>, id: NodeId, name: &str, record: &Record<'_>) {
    let has_required = members(work, record).any(|field| field.is_required);
    module.raw(if has_required { DERIVES } else { "#[derive(Clone, Debug, Default, PartialEq)]\n" });
    module.raw("pub struct ").word(name).raw(" {\n");
    for field in members(work, record) {
        module.raw("    pub ").word(work.label(field)).raw(": ");
        write_field_type(module, work, id, field);
        module.raw(",\n");
    }
    if let Some(rest) = record.rest {
        module.raw("    pub rest: BTreeMap<String, ");
        write_type(module, work, rest);
        module.raw(">,\n");
    }
    module.raw("}\n\n");
    write_encode(module, work, name, record);
    write_decode(module, work, name, record);
}

fn write_field_type(module: &mut Module, work: &Work<'_>, owner: NodeId, field: &Field<'_>) {
    // A cycle that passes no list and no map needs a box somewhere to have a size.
    let is_boxed = work.types.is_back_edge(owner, field.node)
        && !matches!(work.types.shape(field.node), Shape::List(_) | Shape::Map(_));
    let (open, close) = match (field.is_required, is_boxed) {
        (true, false) => ("", ""),
        (true, true) => ("Box<", ">"),
        (false, false) => ("Option<", ">"),
        (false, true) => ("Option<Box<", ">>"),
    };
    module.raw(open);
    write_type(module, work, field.node);
    module.raw(close);
}

fn write_encode(module: &mut Module, work: &Work<'_>, name: &str, record: &Record<'_>) {
    module.raw("impl Encode for ").word(name).raw(" {\n    fn encode(self) -> Json {\n        Object::new()");
    for field in &record.fields {
        if field.is_required && work.constant(field.node).is_some() {
            write_constant_member(module, work, field);
            continue;
        }
        let label = work.label(field);
        module.raw(if field.is_required { ".with(" } else { ".maybe(" });
        module.literal(&field.name).raw(", self.").word(label).raw(")");
    }
    module.raw(if record.rest.is_some() { ".rest(self.rest)" } else { "" });
    module.raw(".finish()\n    }\n}\n\n");
}

fn write_decode(module: &mut Module, work: &Work<'_>, name: &str, record: &Record<'_>) {
    module
        .raw("impl Decode for ")
        .word(name)
        .raw(" {\n    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {\n");
    let is_read = !record.fields.is_empty() || record.rest.is_some();
    module.raw(if is_read {
        "        let members = path.members(value)?;\n"
    } else {
        "        path.members(value)?;\n"
    });
    for field in record.fields.iter().filter(|field| field.is_required) {
        let Some(constant) = work.constant(field.node) else { continue };
        module.raw("        members.constant(").literal(&field.name).raw(", ");
        write_constant(module, constant);
        module.raw(")?;\n");
    }
    module.raw("        Ok(Self {\n");
    for field in members(work, record) {
        module.raw("            ").word(work.label(field));
        module.raw(if field.is_required { ": members.required(" } else { ": members.optional(" });
        module.literal(&field.name).raw(")?,\n");
    }
    if record.rest.is_some() {
        module.raw("            rest: members.rest(&[");
        for (at, field) in record.fields.iter().enumerate() {
            module.raw(if at > 0 { ", " } else { "" }).literal(&field.name);
        }
        module.raw("])?,\n");
    }
    module.raw("        })\n    }\n}\n");
}

fn write_choice(module: &mut Module, name: &str, literals: &[Literal<'_>]) {
    let names = choice_names(literals);
    module.raw("#[derive(Clone, Copy, Debug, PartialEq)]\npub enum ").word(name).raw(" {\n");
    for variant in &names {
        module.raw("    ").word(variant).raw(",\n");
    }
    module
        .raw("}\n\nimpl Choice for ")
        .word(name)
        .raw(" {\n    const TABLE: &'static [(Self, Constant)] = &[\n");
    for (variant, literal) in names.iter().zip(literals) {
        module.raw("        (Self::").word(variant).raw(", ");
        write_constant(module, literal);
        module.raw("),\n");
    }
    module
        .raw("    ];\n}\n\nimpl Encode for ")
        .word(name)
        .raw(" {\n    fn encode(self) -> Json {\n        self.chosen()\n    }\n}\n\n");
    module
        .raw("impl Decode for ")
        .word(name)
        .raw(DECODE)
        .raw("        Self::choose(value, path)\n    }\n}\n");
}

fn choice_names(literals: &[Literal<'_>]) -> Vec<String> {
    let mut names = Allocator::default();
    names.reserve(["Self"]);
    literals.iter().map(|literal| names.take(&literal_word(literal))).collect()
}

/// Gives each alternative of a tagged union a name of its own.
fn variants<'v>(alternatives: impl Iterator<Item = (&'v str, NodeId)>) -> Vec<(String, NodeId)> {
    let mut names = Allocator::default();
    names.reserve(["Self"]);
    alternatives.map(|(value, id)| (names.take(&literal_word(&Literal::Str(value.into()))), id)).collect()
}

fn write_enum(
    module: &mut Module,
    work: &Work<'_>,
    owner: NodeId,
    name: &str,
    variants: &[(String, NodeId)],
) {
    module.raw(DERIVES).raw("pub enum ").word(name).raw(" {\n");
    for (variant, id) in variants {
        let is_boxed = work.types.is_back_edge(owner, *id);
        module.raw("    ").word(variant).raw(if is_boxed { "(Box<" } else { "(" });
        write_type(module, work, *id);
        module.raw(if is_boxed { ">),\n" } else { "),\n" });
    }
    module
        .raw("}\n\nimpl Encode for ")
        .word(name)
        .raw(" {\n    fn encode(self) -> Json {\n        match self {\n");
    for (variant, _) in variants {
        module.raw("            Self::").word(variant).raw("(value) => value.encode(),\n");
    }
    module.raw("        }\n    }\n}\n\n");
}

fn write_tagged(
    module: &mut Module,
    name: &str,
    tag: &str,
    values: &[(alloc::borrow::Cow<'_, str>, NodeId)],
    variants: &[(String, NodeId)],
) {
    module
        .raw("impl Decode for ")
        .word(name)
        .raw(" {\n    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {\n");
    module.raw("        match path.members(value)?.tag(").literal(tag).raw(")? {\n");
    for ((value, _), (variant, _)) in values.iter().zip(variants) {
        module.raw("            ").literal(value).raw(" => Ok(Self::").word(variant);
        module.raw("(Decode::decode(value, path)?)),\n");
    }
    module.raw("            _ => path.fail(").raw("Mismatch::TAG").raw("),\n        }\n    }\n}\n");
}

fn write_by_kind(module: &mut Module, work: &Work<'_>, name: &str, variants: &[(String, NodeId)]) {
    module.raw("impl Decode for ").word(name).raw(" {\n    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {\n        match value {\n");
    for (variant, id) in variants {
        module.raw(&patterns(work.types.kinds(*id), PATTERNS, "            "));
        module.raw(" => Ok(Self::").word(variant).raw("(Decode::decode(value, path)?)),\n");
    }
    module.raw("            _ => path.fail(Mismatch::KIND),\n        }\n    }\n}\n");
}

/// What a value of each kind matches.
const PATTERNS: [&str; 5] =
    ["Json::Bool(_)", "Json::Int(_) | Json::Float(_)", "Json::Text(_)", "Json::List(_)", "Json::Object(_)"];
/// The names of alternatives that the kind of a value tells apart.
const KIND_WORDS: [&str; 5] = ["Bool", "Number", "Text", "List", "Object"];

/// Writes a declaration on one line, as a surface shows it.
fn compact(work: &Work<'_>, id: NodeId) -> Module {
    let mut piece = Module::new(Language::Rust);
    let Some(name) = work.names.get(&id) else { return piece };
    match work.types.shape(id) {
        Shape::Record(record) => {
            piece.raw("struct ").word(name).raw(" { ");
            let mut before = "";
            for field in members(work, record) {
                piece.raw(before).word(work.label(field)).raw(": ");
                write_field_type(&mut piece, work, id, field);
                before = ", ";
            }
            if record.rest.is_some() {
                piece.raw(before).raw("rest: BTreeMap<String, _>");
            }
            piece.raw(" }");
        }
        Shape::Literals(literals) => {
            piece.raw("enum ").word(name).raw(" { ").raw(&choice_names(literals).join(", ")).raw(" }");
        }
        Shape::Tagged(tagged) => {
            let variants = variants(tagged.variants.iter().map(|(value, id)| (&**value, *id)));
            compact_enum(&mut piece, work, name, &variants);
        }
        Shape::Union(parts) if work.types.are_apart(parts) => {
            let variants: Vec<_> = parts
                .iter()
                .map(|part| (kind_word(work.types.kinds(*part), KIND_WORDS).to_string(), *part))
                .collect();
            compact_enum(&mut piece, work, name, &variants);
        }
        _ => {
            piece.raw("type ").word(name).raw(" = ");
            write_shape(&mut piece, work, id);
        }
    }
    piece
}

fn compact_enum(piece: &mut Module, work: &Work<'_>, name: &str, variants: &[(String, NodeId)]) {
    piece.raw("enum ").word(name).raw(" { ");
    for (at, (variant, id)) in variants.iter().enumerate() {
        piece.raw(if at > 0 { ", " } else { "" }).word(variant).raw("(");
        write_type(piece, work, *id);
        piece.raw(")");
    }
    piece.raw(" }");
}

fn write_type(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.names.get(&id) {
        Some(name) => _ = piece.word(name),
        None => write_shape(piece, work, id),
    }
}

fn write_shape(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.types.shape(id) {
        Shape::Null => _ = piece.raw("()"),
        Shape::Bool => _ = piece.raw("bool"),
        Shape::Int => _ = piece.raw("i64"),
        Shape::Num => _ = piece.raw("f64"),
        Shape::Str => _ = piece.raw("String"),
        Shape::List(inner) => write_wrapped(piece, work, "Vec<", *inner),
        Shape::Map(inner) => write_wrapped(piece, work, "BTreeMap<String, ", *inner),
        Shape::Nullable(inner) => write_wrapped(piece, work, "Option<", *inner),
        Shape::Tuple(parts) => {
            piece.raw("(");
            for part in parts {
                write_type(piece, work, *part);
                piece.raw(", ");
            }
            piece.raw(")");
        }
        Shape::Any | Shape::Union(_) | Shape::Record(_) | Shape::Literals(_) | Shape::Tagged(_) => {
            piece.raw("Json");
        }
    }
}

fn write_wrapped(piece: &mut Module, work: &Work<'_>, open: &str, inner: NodeId) {
    piece.raw(open);
    write_type(piece, work, inner);
    piece.raw(">");
}
