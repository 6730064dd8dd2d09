//! Writes TypeScript: one class whose methods call the tools through one injected function.

use alloc::{format, vec::Vec};

use super::{
    GenerateError, Options,
    comment::CommentWriter,
    module::Module,
    prose::{Footnotes, Line},
    surface,
    typed::{Shown, Work, push_docs, quoted},
};
use crate::{
    name::Language,
    schema::ir::{Literal, NodeId, Record, Shape},
};

const COMMENTS: CommentWriter = CommentWriter::docs(Language::TypeScript, "  ");

pub(super) fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    let work = &*work;
    let mut body = Module::new(Language::TypeScript);
    for id in &work.order {
        body.raw("\nexport ").adopt(&declaration(work, *id)).raw(";\n");
        options.check_source(body.out.len())?;
    }
    body.raw("\n/**\n");
    let about = format!("The tools of MCP server \"{}\".", quoted(work.server));
    CommentWriter::docs(Language::TypeScript, "").quote(&mut body.out, &about);
    body.raw(" */\nexport class Tools {\n");
    body.raw(if work.functions.is_empty() {
        "  constructor(_invoke: Invoke) {}\n"
    } else {
        "  readonly #invoke: Invoke;\n\n  constructor(invoke: Invoke) {\n    this.#invoke = invoke;\n  }\n"
    });
    let mut footnotes = Footnotes::default();
    let mut shown_line =
        |piece: Module| -> Line { footnotes.line(piece.out, &piece.census.literals, Language::TypeScript) };
    let mut shown = Vec::with_capacity(work.functions.len());
    for at in 0..work.functions.len() {
        let signature = signature(work, at);
        body.raw("\n  /**\n");
        push_docs(&mut body.out, COMMENTS, work, at);
        body.raw("   */\n  ").adopt(&signature).raw(" {\n    return ");
        write_call(&mut body, work, at);
        body.raw(";\n  }\n");
        shown.push(Shown::new(shown_line(signature)));
        options.check_source(body.out.len())?;
    }
    body.raw("}\n");
    import(&mut body);
    surface::assign(work, &mut shown, |id| shown_line(declaration(work, id)));
    Ok((body, shown))
}

/// Puts the import of what a body uses in front of it.
fn import(body: &mut Module) {
    let text = &body.out;
    let imports = [
        ("type Call", text.contains(": Call")),
        ("type Invoke", true),
        ("type Json", text.split("Json").skip(1).any(|rest| !rest.starts_with("Object"))),
        ("type JsonObject", text.contains("JsonObject")),
        ("call", text.contains(" call(")),
        ("callTyped", text.contains(" callTyped(")),
    ];
    let used = imports.iter().filter(|(_, is_used)| *is_used).map(|(word, _)| *word);
    let words = used.collect::<Vec<_>>().join(", ");
    let mut head = Module::new(Language::TypeScript);
    head.raw("\nimport { ").raw(&words).raw(" } from ").literal("./selvedge.js").raw(";\n");
    body.put_behind(&head);
}

fn signature(work: &Work<'_>, at: usize) -> Module {
    let mut piece = Module::new(Language::TypeScript);
    let (Some(function), Some(tool)) = (work.functions.get(at), work.types.tools.get(at)) else {
        return piece;
    };
    piece.word(&function.name).raw("(");
    match work.parameters(tool.input) {
        Some(record) if record.fields.is_empty() && record.rest.is_none() => {}
        Some(record) => {
            let is_optional = record.fields.iter().all(|field| !field.is_required);
            piece.raw(if is_optional { "args?: " } else { "args: " });
            write_reference(&mut piece, work, tool.input);
        }
        None => {
            piece.raw("args: ");
            match work.types.shape(tool.input) {
                Shape::Any => _ = piece.raw("JsonObject"),
                _ => write_type(&mut piece, work, tool.input),
            }
        }
    }
    piece.raw("): Call");
    if let Some(output) = tool.output {
        piece.raw("<");
        write_type(&mut piece, work, output);
        piece.raw(">");
    }
    piece
}

fn write_call(body: &mut Module, work: &Work<'_>, at: usize) {
    let Some(tool) = work.types.tools.get(at) else { return };
    body.raw(if tool.output.is_some() { "callTyped(" } else { "call(" });
    body.raw("this.#invoke, ").literal(work.server).raw(", ").literal(&tool.name);
    let takes_nothing =
        work.parameters(tool.input).is_some_and(|record| record.fields.is_empty() && record.rest.is_none());
    body.raw(if takes_nothing { ", {})" } else { ", args)" });
}

fn declaration(work: &Work<'_>, id: NodeId) -> Module {
    let mut piece = Module::new(Language::TypeScript);
    let Some(name) = work.names.get(&id) else { return piece };
    piece.raw("type ").word(name).raw(" = ");
    write_shape(&mut piece, work, id);
    piece
}

/// Writes the name of a type that has one, and what it is otherwise.
fn write_type(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    write_reference(piece, work, id);
}

fn write_reference(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.names.get(&id) {
        Some(name) => _ = piece.word(name),
        None => write_shape(piece, work, id),
    }
}

fn write_shape(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.types.shape(id) {
        Shape::Any => _ = piece.raw("Json"),
        Shape::Null => _ = piece.raw("null"),
        Shape::Bool => _ = piece.raw("boolean"),
        Shape::Int | Shape::Num => _ = piece.raw("number"),
        Shape::Str => _ = piece.raw("string"),
        Shape::Literals(literals) => write_literals(piece, literals),
        Shape::List(inner) => write_list(piece, work, *inner),
        Shape::Tuple(parts) => {
            piece.raw("[");
            write_joined(piece, work, parts, ", ");
            piece.raw("]");
        }
        Shape::Map(inner) if *work.types.shape(*inner) == Shape::Any => _ = piece.raw("JsonObject"),
        Shape::Map(inner) => {
            piece.raw("{ [key: string]: ");
            write_type(piece, work, *inner);
            piece.raw(" }");
        }
        Shape::Record(record) => write_record(piece, work, record),
        Shape::Nullable(inner) => {
            write_type(piece, work, *inner);
            piece.raw(" | null");
        }
        Shape::Union(parts) => write_joined(piece, work, parts, " | "),
        Shape::Tagged(tagged) => {
            let parts: Vec<_> = tagged.variants.iter().map(|(_, id)| *id).collect();
            write_joined(piece, work, &parts, " | ");
        }
    }
}

fn write_joined(piece: &mut Module, work: &Work<'_>, parts: &[NodeId], between: &str) {
    for (at, part) in parts.iter().enumerate() {
        piece.raw(if at > 0 { between } else { "" });
        write_type(piece, work, *part);
    }
}

fn write_literals(piece: &mut Module, literals: &[Literal<'_>]) {
    for (at, literal) in literals.iter().enumerate() {
        piece.raw(if at > 0 { " | " } else { "" });
        match literal {
            Literal::Bool(value) => piece.raw(if *value { "true" } else { "false" }),
            Literal::Int(number) => piece.raw(&format!("{number}")),
            Literal::Str(text) => piece.literal(text),
        };
    }
}

fn write_list(piece: &mut Module, work: &Work<'_>, inner: NodeId) {
    let is_several = !work.names.contains_key(&inner)
        && match work.types.shape(inner) {
            Shape::Nullable(_) | Shape::Union(_) | Shape::Tagged(_) => true,
            Shape::Literals(literals) => literals.len() > 1,
            _ => false,
        };
    piece.raw(if is_several { "(" } else { "" });
    write_type(piece, work, inner);
    piece.raw(if is_several { ")[]" } else { "[]" });
}

fn write_record(piece: &mut Module, work: &Work<'_>, record: &Record<'_>) {
    if record.fields.is_empty() && record.rest.is_none() {
        piece.raw("{ [key: string]: never }");
        return;
    }
    piece.raw("{ ");
    for (at, field) in record.fields.iter().enumerate() {
        piece.raw(if at > 0 { "; " } else { "" });
        if is_key(&field.name) {
            piece.word(&field.name);
        } else {
            piece.literal(&field.name);
        }
        piece.raw(if field.is_required { ": " } else { "?: " });
        write_type(piece, work, field.node);
    }
    // An index signature must admit every named member, so it is as wide as any of them.
    if record.rest.is_some() {
        let between = if record.fields.is_empty() { "" } else { "; " };
        piece.raw(between).raw("[key: string]: ");
        match record.rest {
            Some(rest) if record.fields.is_empty() => write_type(piece, work, rest),
            _ => _ = piece.raw("unknown"),
        }
    }
    piece.raw(" }");
}

/// Returns whether a member can be written without quotes.
fn is_key(name: &str) -> bool {
    name.len() <= 64
        && name != "__proto__"
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
