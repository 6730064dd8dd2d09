//! Writes Gleam in profile `typed`: labelled parameters, records and custom types, encoders and decoders.

mod coders;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use self::coders::{write_coder, write_decoder, write_encoder};
use super::{
    GenerateError, Options,
    comment::CommentWriter,
    find::find,
    module::Module,
    surface,
    typed::{Shown, Work, kind_word, literal_word, members, push_docs},
};
use crate::{
    map::{BTreeMap, BTreeSet},
    name::{Language, pascal},
    schema::ir::{Field, Literal, NodeId, Record, Shape},
};

const COMMENTS: CommentWriter = CommentWriter::docs(Language::Gleam, "");

/// The names of alternatives that the kind of a value tells apart, in the order of [`KINDS`](super::typed::KINDS).
const KIND_WORDS: [&str; 5] = ["Flag", "Number", "Text", "Items", "Object"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Encode,
    Decode,
}

/// The names that only Gleam needs: variants, and the functions that translate a type.
struct Names {
    /// The constructors of a type, in the order of its constants or alternatives.
    variants: BTreeMap<NodeId, Vec<String>>,
    encoders: BTreeMap<NodeId, String>,
    decoders: BTreeMap<NodeId, String>,
    /// The type of the optional parameters of each tool and the function that leaves all of them out.
    options: BTreeMap<usize, (String, String)>,
}

pub(super) fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    let names = take_names(work);
    let work = &*work;
    let mut body = Module::new(Language::Gleam);
    for id in &work.order {
        body.raw("\npub type ").adopt(&declaration(work, &names, *id)).raw("\n");
        write_encoder(&mut body, work, &names, *id);
        write_decoder(&mut body, work, &names, *id);
        options.check_source(body.out.len())?;
    }
    let mut shown = Vec::with_capacity(work.functions.len());
    for at in 0..work.functions.len() {
        let signature = signature(work, &names, at);
        let mut own = Shown::new(fold_inner_names(&signature.out));
        if let Some(declared) = options_type(work, &names, at) {
            body.raw("\npub type ").adopt(&declared).raw("\n");
            write_defaults(&mut body, work, &names, at);
            own.declarations.push(compact(&declared.out).into());
        }
        body.raw("\n");
        push_docs(&mut body.out, COMMENTS, work, at);
        body.raw("pub fn ").adopt(&signature).raw(" {\n  ");
        write_call(&mut body, work, &names, at);
        body.raw("\n}\n");
        shown.push(own);
        options.check_source(body.out.len())?;
    }
    surface::assign(work, &mut shown, |id| compact(&declaration(work, &names, id).out).into());
    Ok((with_imports(body), shown))
}

/// Puts the imports that a body uses in front of it: an unused one is a warning.
fn with_imports(mut body: Module) -> Module {
    let imports = [
        ("import cap/internal/mcp as internal\n", "internal."),
        ("import cap/mcp\n", "mcp."),
        ("import cap/report\n", "report."),
        ("import gleam/option\n", "option."),
    ];
    let is_code = |at: usize| {
        let before = body.out.get(..at).unwrap_or_default();
        !before.rsplit('\n').next().unwrap_or_default().starts_with("///")
    };
    let is_used = |trace: &str| {
        let mut from = 0;
        while let Some(at) = body.out.get(from..).and_then(|rest| find(rest, trace)) {
            if is_code(from + at) {
                return true;
            }
            from += at + trace.len();
        }
        false
    };
    let mut lines = String::from("\n");
    lines.extend(imports.iter().filter(|(_, trace)| is_used(trace)).map(|(line, _)| *line));
    if lines.len() > 1 {
        body.prepend(&lines);
    }
    body
}

fn take_names(work: &mut Work<'_>) -> Names {
    let mut names = Names {
        variants: BTreeMap::new(),
        encoders: BTreeMap::new(),
        decoders: BTreeMap::new(),
        options: BTreeMap::new(),
    };
    let sent = reachable(work, work.types.tools.iter().flat_map(|tool| sent_values(work, tool.input)));
    let received = reachable(work, work.types.tools.iter().filter_map(|tool| tool.output));
    for (at, id) in work.order.clone().into_iter().enumerate() {
        let name = work.names.get(&id).cloned().unwrap_or_default();
        let wishes: Vec<String> = match work.types.shape(id) {
            Shape::Literals(literals) => {
                literals.iter().map(|literal| literal_word(literal).into()).collect()
            }
            Shape::Tagged(tagged) => tagged
                .variants
                .iter()
                .map(|(value, _)| literal_word(&Literal::Str(value.clone())).into())
                .collect(),
            Shape::Union(parts) => {
                parts.iter().map(|part| kind_word(work.types.kinds(*part), KIND_WORDS).to_string()).collect()
            }
            _ => Vec::new(),
        };
        let variants =
            wishes.iter().map(|wish| work.identifiers.take(&format!("{name}{}", cut(wish)))).collect();
        names.variants.insert(id, variants);
        if sent.contains(&id) {
            names.encoders.insert(id, work.identifiers.take(&format!("encode_{at}")));
        }
        if received.contains(&id) {
            names.decoders.insert(id, work.identifiers.take(&format!("decode_{at}")));
        }
    }
    for at in 0..work.functions.len() {
        let Some(tool) = work.types.tools.get(at) else { continue };
        let Some(record) = work.parameters(tool.input) else { continue };
        if record.rest.is_none() && record.fields.iter().all(|field| field.is_required) {
            continue;
        }
        let base = pascal(&tool.name);
        let base = if base.starts_with(|first: char| first.is_ascii_uppercase()) {
            base
        } else {
            format!("T{base}")
        };
        let function = work.functions.get(at).map(|function| function.name.clone()).unwrap_or_default();
        let kind = work.identifiers.take(&format!("{}Options", cut(&base)));
        let defaults = work.identifiers.take(&format!("{function}_defaults"));
        names.options.insert(at, (kind, defaults));
    }
    names
}

fn cut(wish: &str) -> &str {
    wish.get(..32).unwrap_or(wish)
}

/// Returns the types of what a function encodes: its parameters, or its one argument.
fn sent_values(work: &Work<'_>, input: NodeId) -> Vec<NodeId> {
    let Some(record) = work.parameters(input) else { return alloc::vec![input] };
    members(work, record).map(|field| field.node).chain(record.rest).collect()
}

/// Returns every type that some types are made of, as far as Gleam shows them.
fn reachable(work: &Work<'_>, from: impl Iterator<Item = NodeId>) -> BTreeSet<NodeId> {
    let mut open: Vec<_> = from.collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match work.types.shape(id) {
            _ if work.is_opaque(id) => {}
            Shape::Record(record) => {
                open.extend(members(work, record).map(|field| field.node));
                open.extend(record.rest);
            }
            shape => shape.edges(|to| open.push(to)),
        }
    }
    seen
}

/// Puts a declaration on one line, and names the only constructor of a type once.
fn compact(declaration: &str) -> String {
    let line = match memchr::memchr(b'\n', declaration.as_bytes()) {
        Some(_) => declaration.replace("\n  ", " ").replace("\n}", " }"),
        None => declaration.into(),
    };
    let Some((name, rest)) = line.split_once(" { ") else { return line };
    match rest.strip_prefix(name).and_then(|rest| rest.strip_suffix(" }")) {
        Some(members) if members.starts_with('(') => rest.trim_end_matches(" }").into(),
        _ => line,
    }
}

/// Turns `label v0: Type` and `label label: Type` into `label: Type`, which is how a parameter is passed.
fn fold_inner_names(signature: &str) -> String {
    let mut out = String::with_capacity(signature.len());
    let mut parts = signature.split(' ').peekable();
    while let Some(part) = parts.next() {
        out.push_str(part);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let label = part.rsplit('(').next();
        let inner = parts.peek().and_then(|next| next.strip_suffix(':'));
        if inner.is_some_and(|inner| Some(inner) == label || inner.strip_prefix('v').is_some_and(is_number)) {
            parts.next();
            out.push(':');
        }
        if parts.peek().is_some() {
            out.push(' ');
        }
    }
    out
}

fn signature(work: &Work<'_>, names: &Names, at: usize) -> Module {
    let mut piece = Module::new(Language::Gleam);
    let (Some(function), Some(tool)) = (work.functions.get(at), work.types.tools.get(at)) else {
        return piece;
    };
    piece.word(&function.name).raw("(");
    if let Some(record) = work.parameters(tool.input) {
        let mut before = "";
        for (index, field) in members(work, record).filter(|field| field.is_required).enumerate() {
            piece.raw(before).word(work.label(field)).raw(" ").word(&format!("v{index}")).raw(": ");
            write_type(&mut piece, work, field.node);
            before = ", ";
        }
        if let Some((kind, _)) = names.options.get(&at) {
            piece.raw(before).raw("options options: ").word(kind);
        }
    } else {
        piece.raw("arguments arguments: ");
        write_type(&mut piece, work, tool.input);
    }
    if let Some(output) = tool.output {
        piece.raw(") -> mcp.Call(");
        write_type(&mut piece, work, output);
        piece.raw(")");
    } else {
        piece.raw(") -> mcp.Untyped");
    }
    piece
}

fn write_call(body: &mut Module, work: &Work<'_>, names: &Names, at: usize) {
    let Some(tool) = work.types.tools.get(at) else { return };
    body.raw("internal.call(").literal(work.server).raw(", ").literal(&tool.name).raw(", ");
    match work.parameters(tool.input) {
        Some(record) => {
            body.raw("internal.object([");
            let mut index = 0;
            let mut before = "";
            for field in record.fields.iter().filter(|field| field.is_required) {
                body.raw(before);
                before = ", ";
                if write_constant_member(body, work, field) {
                    continue;
                }
                body.raw("internal.with(")
                    .literal(&field.name)
                    .raw(", ")
                    .word(&format!("v{index}"))
                    .raw(", ");
                write_coder(body, work, names, field.node, Way::Encode);
                body.raw(")");
                index += 1;
            }
            for field in record.fields.iter().filter(|field| !field.is_required) {
                body.raw(before);
                before = ", ";
                write_maybe(body, work, names, "options", field);
            }
            if let Some(rest) = record.rest {
                write_rest(body, work, names, before, "options", rest);
            }
            body.raw("])");
        }
        None => write_applied(body, work, names, tool.input, "arguments"),
    }
    body.raw(", ");
    match tool.output {
        Some(output) => {
            body.raw("internal.declared(");
            write_coder(body, work, names, output, Way::Decode);
            body.raw("))");
        }
        None => _ = body.raw("internal.undeclared)"),
    }
}

fn write_applied(body: &mut Module, work: &Work<'_>, names: &Names, id: NodeId, value: &str) {
    write_coder(body, work, names, id, Way::Encode);
    body.raw("(").raw(value).raw(")");
}

fn write_maybe(body: &mut Module, work: &Work<'_>, names: &Names, owner: &str, field: &Field<'_>) {
    let label = work.label(field);
    body.raw("internal.maybe(").literal(&field.name).raw(", ").raw(owner).raw(".").word(label).raw(", ");
    write_coder(body, work, names, field.node, Way::Encode);
    body.raw(")");
}

fn write_rest(body: &mut Module, work: &Work<'_>, names: &Names, before: &str, owner: &str, rest: NodeId) {
    body.raw(before).raw("internal.rest(").raw(owner).raw(".rest, ");
    write_coder(body, work, names, rest, Way::Encode);
    body.raw(")");
}

fn write_constant_member(body: &mut Module, work: &Work<'_>, field: &Field<'_>) -> bool {
    let Some(constant) = work.constant(field.node).filter(|_| field.is_required) else { return false };
    body.raw("internal.with(").literal(&field.name).raw(", ");
    write_constant(body, constant);
    body.raw(", internal.same)");
    true
}

fn write_constant(body: &mut Module, constant: &Literal<'_>) {
    match constant {
        Literal::Bool(value) => body.raw(if *value { "report.bool(True)" } else { "report.bool(False)" }),
        Literal::Int(number) => body.raw(&format!("report.int({number})")),
        Literal::Str(text) => body.raw("report.string(").literal(text).raw(")"),
    };
}

fn options_type(work: &Work<'_>, names: &Names, at: usize) -> Option<Module> {
    let (kind, _) = names.options.get(&at)?;
    let record = work.parameters(work.types.tools.get(at)?.input)?;
    let mut piece = Module::new(Language::Gleam);
    piece.word(kind).raw(" { ").word(kind).raw("(");
    write_fields(&mut piece, work, record, |field| !field.is_required);
    piece.raw(") }");
    Some(piece)
}

fn write_fields(
    piece: &mut Module,
    work: &Work<'_>,
    record: &Record<'_>,
    which: impl Fn(&Field<'_>) -> bool,
) {
    let mut before = "";
    for field in members(work, record).filter(|field| which(field)) {
        piece.raw(before).word(work.label(field)).raw(": ");
        piece.raw(if field.is_required { "" } else { "option.Option(" });
        write_type(piece, work, field.node);
        piece.raw(if field.is_required { "" } else { ")" });
        before = ", ";
    }
    if let Some(rest) = record.rest {
        piece.raw(before).raw("rest: List(#(String, ");
        write_type(piece, work, rest);
        piece.raw("))");
    }
}

fn write_defaults(body: &mut Module, work: &Work<'_>, names: &Names, at: usize) {
    let Some((kind, defaults)) = names.options.get(&at) else { return };
    let Some(record) = work.types.tools.get(at).and_then(|tool| work.parameters(tool.input)) else { return };
    body.raw("\npub fn ").word(defaults).raw("() -> ").word(kind).raw(" {\n  ").word(kind).raw("(");
    let mut before = "";
    for field in record.fields.iter().filter(|field| !field.is_required) {
        body.raw(before).word(work.label(field)).raw(": option.None");
        before = ", ";
    }
    if record.rest.is_some() {
        body.raw(before).raw("rest: []");
    }
    body.raw(")\n}\n");
}

/// Writes what a type is, on one line, without the words before it.
fn declaration(work: &Work<'_>, names: &Names, id: NodeId) -> Module {
    let mut piece = Module::new(Language::Gleam);
    let Some(name) = work.names.get(&id) else { return piece };
    piece.word(name);
    let variants = names.variants.get(&id).map_or(&[][..], Vec::as_slice);
    match work.types.shape(id) {
        Shape::Record(record) => {
            let is_empty = record.rest.is_none() && members(work, record).next().is_none();
            piece.raw(" { ").word(name).raw(if is_empty { "" } else { "(" });
            write_fields(&mut piece, work, record, |_| true);
            piece.raw(if is_empty { " }" } else { ") }" });
        }
        Shape::Literals(_) => {
            piece.raw(" {");
            for variant in variants {
                piece.raw("\n  ").word(variant);
            }
            piece.raw("\n}");
        }
        Shape::Tagged(tagged) => {
            write_variants(&mut piece, work, variants, tagged.variants.iter().map(|(_, id)| *id));
        }
        Shape::Union(parts) if work.types.are_apart(parts) => {
            write_variants(&mut piece, work, variants, parts.iter().copied());
        }
        _ => {
            piece.raw(" = ");
            write_shape(&mut piece, work, id);
        }
    }
    piece
}

fn write_variants(
    piece: &mut Module,
    work: &Work<'_>,
    variants: &[String],
    parts: impl Iterator<Item = NodeId>,
) {
    piece.raw(" {");
    for (variant, part) in variants.iter().zip(parts) {
        piece.raw("\n  ").word(variant).raw("(");
        write_type(piece, work, part);
        piece.raw(")");
    }
    piece.raw("\n}");
}

fn write_type(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.names.get(&id) {
        Some(name) => _ = piece.word(name),
        None => write_shape(piece, work, id),
    }
}

fn write_shape(piece: &mut Module, work: &Work<'_>, id: NodeId) {
    match work.types.shape(id) {
        Shape::Null => _ = piece.raw("Nil"),
        Shape::Bool => _ = piece.raw("Bool"),
        Shape::Int => _ = piece.raw("Int"),
        Shape::Num => _ = piece.raw("Float"),
        Shape::Str => _ = piece.raw("String"),
        Shape::List(inner) => write_wrapped(piece, work, "List(", *inner, ")"),
        Shape::Map(inner) => write_wrapped(piece, work, "List(#(String, ", *inner, "))"),
        Shape::Nullable(inner) => write_wrapped(piece, work, "option.Option(", *inner, ")"),
        _ => _ = piece.raw("report.Value"),
    }
}

fn write_wrapped(piece: &mut Module, work: &Work<'_>, open: &str, inner: NodeId, close: &str) {
    piece.raw(open);
    write_type(piece, work, inner);
    piece.raw(close);
}
