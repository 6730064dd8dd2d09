//! Writes Python: one class whose methods take keyword arguments, and a `TypedDict` for every object.

use alloc::{format, string::String, vec::Vec};

use super::{
    GenerateError, Options,
    comment::CommentWriter,
    find::find,
    module::Module,
    prose::Footnotes,
    surface,
    typed::{Shown, Work, push_docs},
};
use crate::{
    map::BTreeMap,
    name::Language,
    schema::ir::{Field, Literal, NodeId, Record, Shape},
};

const COMMENTS: CommentWriter = CommentWriter::docs(Language::Python, "        ");

/// How an annotation is read: names of our own types are not known yet where it is evaluated at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Later,
    AtOnce,
}

pub(super) fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    let helpers = take_helpers(work);
    let work = &*work;
    let mut module = Module::new(Language::Python);
    for (id, helper) in work.order.iter().zip(&helpers) {
        module.raw("\n\n").adopt(&declaration(work, *id, helper)).raw("\n");
        options.check_source(module.out.len())?;
    }
    module.raw("\n\nclass Tools(Base):\n    \"\"\"The tools of one MCP server.\"\"\"\n");
    let mut footnotes = Footnotes::default();
    let mut shown = Vec::with_capacity(work.functions.len());
    for at in 0..work.functions.len() {
        let signature = signature(work, at);
        module.raw("\n    def ").adopt(&signature).raw(":\n        \"\"\"\n");
        push_docs(&mut module.out, COMMENTS, work, at);
        module.raw("        \"\"\"\n        return self._call");
        write_call(&mut module, work, at);
        module.raw("\n");
        let parameters = signature.out.replacen("self, *, ", "*, ", 1);
        let parameters = parameters.replacen("(self, ", "(", 1).replacen("(self)", "()", 1);
        shown.push(Shown::new(footnotes.line(parameters, &signature.census.literals, Language::Python)));
        options.check_source(module.out.len())?;
    }
    let module = with_imports(module);
    let helpers: BTreeMap<_, _> = work.order.iter().zip(&helpers).collect();
    surface::assign(work, &mut shown, |id| {
        let piece = helpers
            .get(&id)
            .map_or_else(|| Module::new(Language::Python), |helper| compact(work, id, helper));
        footnotes.line(piece.out, &piece.census.literals, Language::Python)
    });
    Ok((module, shown))
}

/// Puts the imports that a body uses in front of it.
fn with_imports(mut body: Module) -> Module {
    let mut lines = String::from("\nfrom __future__ import annotations\n");
    let typing = [
        ("Dict", "Dict["),
        ("List", "List["),
        ("Literal", "Literal["),
        ("Optional", "Optional["),
        ("TypeAlias", ": TypeAlias ="),
        ("TypedDict", "TypedDict"),
        ("Union", "Union["),
    ];
    let support = [
        ("UNSET", "= UNSET"),
        ("Base", "(Base)"),
        ("Json", "Json"),
        ("ToolResult", "ToolResult["),
        ("Unset", "| Unset ="),
    ];
    let is_used = |trace: &str| find(&body.out, trace).is_some();
    for (from, words) in [("typing", &typing[..]), ("selvedge", &support)] {
        let used = words.iter().filter(|(_, trace)| is_used(trace)).map(|(word, _)| *word);
        let words = used.collect::<Vec<_>>().join(", ");
        if !words.is_empty() {
            lines.extend(["\nfrom ", from, " import ", &words, "\n"]);
        }
    }
    body.prepend(&lines);
    body
}

/// Takes a second name for every record that has both required and optional members.
fn take_helpers(work: &mut Work<'_>) -> Vec<alloc::string::String> {
    let mut helpers = Vec::with_capacity(work.order.len());
    for id in work.order.clone() {
        let name = work.names.get(&id).cloned().unwrap_or_default();
        let is_mixed = matches!(work.types.shape(id), Shape::Record(record) if {
            let required = record.fields.iter().filter(|field| field.is_required).count();
            required > 0 && required < record.fields.len()
        });
        helpers.push(if is_mixed { work.identifiers.take(&format!("{name}Required")) } else { name });
    }
    helpers
}

fn signature(work: &Work<'_>, at: usize) -> Module {
    let mut piece = Module::new(Language::Python);
    let (Some(function), Some(tool)) = (work.functions.get(at), work.types.tools.get(at)) else {
        return piece;
    };
    piece.word(&function.name).raw("(self");
    if let Some(record) = work.parameters(tool.input) {
        if !record.fields.is_empty() || record.rest.is_some() {
            piece.raw(", *");
        }
        for field in &record.fields {
            write_parameter(&mut piece, work, field);
        }
        if let Some(rest) = record.rest {
            piece.raw(", rest: Dict[str, ");
            write_type(&mut piece, work, rest, Reading::Later);
            piece.raw("] | Unset = UNSET");
        }
    } else {
        piece.raw(", arguments: ");
        match work.types.shape(tool.input) {
            Shape::Any => _ = piece.raw("Dict[str, Json]"),
            _ => write_type(&mut piece, work, tool.input, Reading::Later),
        }
    }
    piece.raw(") -> ToolResult[");
    match tool.output {
        Some(output) => write_type(&mut piece, work, output, Reading::Later),
        None => _ = piece.raw("Json"),
    }
    piece.raw("]");
    piece
}

fn write_parameter(piece: &mut Module, work: &Work<'_>, field: &Field<'_>) {
    piece.raw(", ").word(work.label(field)).raw(": ");
    write_type(piece, work, field.node, Reading::Later);
    if !field.is_required {
        piece.raw(" | Unset = UNSET");
    }
}

fn write_call(module: &mut Module, work: &Work<'_>, at: usize) {
    let Some(tool) = work.types.tools.get(at) else { return };
    module.raw("(").literal(work.server).raw(", ").literal(&tool.name).raw(", ");
    match work.parameters(tool.input) {
        Some(record) => {
            module.raw("{");
            for (at, field) in record.fields.iter().enumerate() {
                let label = work.label(field);
                module.raw(if at > 0 { ", " } else { "" }).literal(&field.name).raw(": ").word(label);
            }
            module.raw("}");
        }
        None => _ = module.raw("arguments"),
    }
    let rest = work.parameters(tool.input).and_then(|record| record.rest);
    module.raw(if rest.is_some() { ", rest" } else { ", {}" });
    module.raw(if tool.output.is_some() { ", True)" } else { ", False)" });
}

fn declaration(work: &Work<'_>, id: NodeId, helper: &str) -> Module {
    let mut piece = Module::new(Language::Python);
    let Some(name) = work.names.get(&id) else { return piece };
    let Shape::Record(record) = work.types.shape(id) else {
        piece.word(name).raw(": TypeAlias = ");
        write_shape(&mut piece, work, id, Reading::AtOnce);
        return piece;
    };
    let (required, optional): (Vec<_>, Vec<_>) = record.fields.iter().partition(|field| field.is_required);
    match (required.is_empty(), optional.is_empty()) {
        (_, true) => write_record(&mut piece, work, name, "TypedDict", &required, true),
        (true, false) => write_record(&mut piece, work, name, "TypedDict", &optional, false),
        (false, false) => {
            write_record(&mut piece, work, helper, "TypedDict", &required, true);
            piece.raw("\n\n\n");
            if optional.iter().all(|field| is_key(&field.name)) {
                write_record(&mut piece, work, name, helper, &optional, false);
            } else {
                let other = format!("{helper}_");
                write_record(&mut piece, work, &other, "TypedDict", &optional, false);
                piece
                    .raw("\n\n\nclass ")
                    .word(name)
                    .raw("(")
                    .word(helper)
                    .raw(", ")
                    .word(&other)
                    .raw("):\n    pass");
            }
        }
    }
    piece
}

fn write_record(
    piece: &mut Module,
    work: &Work<'_>,
    name: &str,
    base: &str,
    fields: &[&Field<'_>],
    is_total: bool,
) {
    if !fields.iter().all(|field| is_key(&field.name)) {
        piece.word(name).raw(" = TypedDict(").literal(name).raw(", {");
        for (at, field) in fields.iter().enumerate() {
            piece.raw(if at > 0 { ", " } else { "" }).literal(&field.name).raw(": ");
            write_type(piece, work, field.node, Reading::AtOnce);
        }
        piece.raw(if is_total { "})" } else { "}, total=False)" });
        return;
    }
    piece.raw("class ").word(name).raw("(").word(base);
    piece.raw(if is_total { "):" } else { ", total=False):" });
    for field in fields {
        piece.raw("\n    ").word(&field.name).raw(": ");
        write_type(piece, work, field.node, Reading::Later);
    }
    if fields.is_empty() {
        piece.raw("\n    pass");
    }
}

/// Writes a declaration on one line, as a surface shows it.
fn compact(work: &Work<'_>, id: NodeId, _helper: &str) -> Module {
    let mut piece = Module::new(Language::Python);
    let Some(name) = work.names.get(&id) else { return piece };
    piece.word(name).raw(" = ");
    let Shape::Record(Record { fields, rest }) = work.types.shape(id) else {
        write_shape(&mut piece, work, id, Reading::Later);
        return piece;
    };
    piece.raw("{");
    for (at, field) in fields.iter().enumerate() {
        piece.raw(if at > 0 { ", " } else { "" }).literal(&field.name);
        piece.raw(if field.is_required { ": " } else { "?: " });
        write_type(&mut piece, work, field.node, Reading::Later);
    }
    piece.raw(if rest.is_some() { ", ...}" } else { "}" });
    piece
}

fn write_type(piece: &mut Module, work: &Work<'_>, id: NodeId, reading: Reading) {
    match (work.names.get(&id), reading) {
        (Some(name), Reading::Later) => _ = piece.word(name),
        (Some(name), Reading::AtOnce) => _ = piece.literal(name),
        (None, _) => write_shape(piece, work, id, reading),
    }
}

fn write_shape(piece: &mut Module, work: &Work<'_>, id: NodeId, reading: Reading) {
    match work.types.shape(id) {
        Shape::Any => _ = piece.raw("Json"),
        Shape::Null => _ = piece.raw("None"),
        Shape::Bool => _ = piece.raw("bool"),
        Shape::Int => _ = piece.raw("int"),
        Shape::Num => _ = piece.raw("float"),
        Shape::Str => _ = piece.raw("str"),
        Shape::Literals(literals) => write_literals(piece, literals),
        Shape::List(inner) => {
            piece.raw("List[");
            write_type(piece, work, *inner, reading);
            piece.raw("]");
        }
        // A JSON array is a list in Python, so a tuple is a list of whatever its parts may be.
        Shape::Tuple(parts) => {
            piece.raw("List[");
            write_union(piece, work, parts, reading);
            piece.raw("]");
        }
        Shape::Map(inner) => {
            piece.raw("Dict[str, ");
            write_type(piece, work, *inner, reading);
            piece.raw("]");
        }
        Shape::Nullable(inner) => {
            piece.raw("Optional[");
            write_type(piece, work, *inner, reading);
            piece.raw("]");
        }
        Shape::Union(parts) => write_union(piece, work, parts, reading),
        Shape::Tagged(tagged) => {
            let parts: Vec<_> = tagged.variants.iter().map(|(_, id)| *id).collect();
            write_union(piece, work, &parts, reading);
        }
        Shape::Record(_) => _ = piece.raw("Dict[str, Json]"),
    }
}

fn write_union(piece: &mut Module, work: &Work<'_>, parts: &[NodeId], reading: Reading) {
    piece.raw("Union[");
    for (at, part) in parts.iter().enumerate() {
        piece.raw(if at > 0 { ", " } else { "" });
        write_type(piece, work, *part, reading);
    }
    piece.raw("]");
}

fn write_literals(piece: &mut Module, literals: &[Literal<'_>]) {
    piece.raw("Literal[");
    for (at, literal) in literals.iter().enumerate() {
        piece.raw(if at > 0 { ", " } else { "" });
        match literal {
            Literal::Bool(value) => piece.raw(if *value { "True" } else { "False" }),
            Literal::Int(number) => piece.raw(&format!("{number}")),
            Literal::Str(text) => piece.literal(text),
        };
    }
    piece.raw("]");
}

/// Returns whether a member can be written in the body of a class: there, two leading underscores rename it.
fn is_key(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !Language::Python.reserves(name)
        && !is_type_word(name)
}

/// Returns whether a member would hide, in the body of a class, a name that an annotation after it needs.
fn is_type_word(name: &str) -> bool {
    const WORDS: [&str; 16] = [
        "Dict",
        "Json",
        "List",
        "Literal",
        "None",
        "Optional",
        "ToolResult",
        "Tools",
        "TypeAlias",
        "TypedDict",
        "Union",
        "bool",
        "float",
        "int",
        "str",
        "total",
    ];
    WORDS.contains(&name) || name.starts_with(|first: char| first.is_ascii_uppercase())
}
