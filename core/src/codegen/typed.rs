//! What every language of profile `typed` shares: which tools there are, and which types get which names.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::naming::{capital, reserved_callables, reserved_types};
use super::{
    GenerateError, Generated, Options, Profile,
    comment::{ABOUT, COOKIE, CommentWriter, ORIGIN},
    gleam, header_digest,
    listing::{Listing, Tool},
    module::Module,
    paths::{Place, place},
    prose::Line,
    python, rust, support, surface,
    text::{Hidden, clean},
    typescript, unexpressed,
};
use crate::{
    map::BTreeMap,
    name::{Allocator, Language, callable, first_collision},
    schema::{
        build::build,
        ir::{Field, Kinds, Literal, NodeId, Record, Shape, Types},
        loss::{Ledger, Reason},
    },
};

/// The most characters of a description in a module and in the fullest surface.
pub(super) const MAX_DESCRIPTION: usize = 2_000;
/// The most characters of a parameter's text there.
pub(super) const MAX_NOTE: usize = 400;
/// The most characters of a name among text.
const MAX_NAME: usize = 120;
/// The most characters of a parameter's default.
pub(super) const MAX_DEFAULT: usize = 40;

/// A generation while it is under way.
pub(super) struct Work<'t> {
    pub(super) language: Language,
    pub(super) server: &'t str,
    pub(super) types: Types<'t>,
    /// The names of the types that have one, and in which order they were given.
    pub(super) names: BTreeMap<NodeId, String>,
    pub(super) order: Vec<NodeId>,
    /// The functions, in the order of the tools of `types`.
    pub(super) functions: Vec<Function>,
    pub(super) identifiers: Allocator,
    /// The identifiers of members, as their fields refer to them.
    pub(super) labels: Vec<String>,
    pub(super) digest: crate::name::Digest,
}

/// One function of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    /// The types that this function is the first to use.
    pub(super) introduces: Vec<NodeId>,
}

/// What an emitter makes of one tool: the source follows it, and the surface shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) signature: Line,
    pub(super) declarations: Vec<Line>,
}

impl Shown {
    pub(super) fn new(signature: impl Into<Line>) -> Self {
        Self { signature: signature.into(), declarations: Vec::new() }
    }
}

pub(super) fn generate(listing: &Listing<'_>, options: &Options) -> Result<Generated, GenerateError> {
    let mut losses = Ledger::default();
    let tools = sorted(listing);
    let mut work = prepare(listing, &tools, options, &mut losses)?;
    let (module, shown) = emit(&mut work, options)?;
    unexpressed::note(&work, &tools, &mut losses);
    let Place { module_name, path } = place(options);
    let source = finish(module, options)?;
    let surface = surface::render(&work, &shown, &module_name, options)?;
    let functions = work.listed();
    drop((work, shown));
    Ok(Generated {
        module_name,
        path,
        source,
        functions,
        support: support::files(options.language, options.profile),
        surface,
        losses: losses.finish(),
    })
}

/// Renders the fullest surface of one tool.
pub(super) fn detail(
    listing: &Listing<'_>,
    options: &Options,
    tool: &str,
) -> Result<Option<String>, GenerateError> {
    let mut work = prepare(listing, &sorted(listing), options, &mut Ledger::default())?;
    let (_, shown) = emit(&mut work, options)?;
    surface::detail(&work, &shown, tool).map_err(GenerateError::SanitizerBreach)
}

fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    match options.language {
        Language::TypeScript => typescript::emit(work, options),
        Language::Python => python::emit(work, options),
        Language::Rust => rust::emit(work, options),
        Language::Gleam => gleam::emit(work, options),
    }
}

/// Returns the tools of a listing in the order of their names.
fn sorted<'t>(listing: &'t Listing<'_>) -> Vec<Tool<'t>> {
    let mut tools: Vec<_> = listing.tools().collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

fn prepare<'t>(
    listing: &'t Listing<'_>,
    tools: &[Tool<'t>],
    options: &'t Options,
    losses: &mut Ledger,
) -> Result<Work<'t>, GenerateError> {
    options.check_count(listing.len())?;
    for fault in listing.faults() {
        losses.note(&format!("#{}", fault.index), "", Reason::Dropped(fault.to_string()));
    }
    let reserved = reserved_callables(options.language);
    let names: Vec<_> =
        tools.iter().map(|tool| callable(&tool.name, options.language, reserved, options.digest)).collect();
    let pairs = tools.iter().zip(&names).map(|(tool, name)| (&*tool.name, name.as_str()));
    if let Some((first, second)) = first_collision(pairs) {
        return Err(GenerateError::collision(first, second));
    }
    losses.pass_over(listing.faults_beyond());
    for tool in tools {
        let text = tool.description.as_deref().unwrap_or_default();
        for reason in unexpressed::text_losses(text, MAX_DESCRIPTION, Hidden::Extended) {
            losses.note(&tool.name, "/description", reason);
        }
    }
    let types = build(tools, losses);
    let mut identifiers = Allocator::default();
    identifiers.reserve(names.iter().map(String::as_str));
    identifiers.reserve(reserved_types(options.language).iter().copied());
    let functions = names.into_iter().map(|name| Function { name, introduces: Vec::new() }).collect();
    let mut work = Work {
        language: options.language,
        server: &options.server,
        types,
        names: BTreeMap::new(),
        order: Vec::new(),
        functions,
        identifiers,
        labels: Vec::new(),
        digest: options.digest,
    };
    work.untangle_labels();
    work.give_names();
    work.cut_tuples();
    Ok(work)
}

impl<'t> Work<'t> {
    /// Returns what the module has for each tool.
    fn listed(&self) -> Vec<super::Function> {
        let pairs = self.types.tools.iter().zip(&self.functions);
        pairs
            .map(|(tool, function)| super::Function {
                tool: tool.name.to_string(),
                name: function.name.clone(),
                has_result: tool.output.is_some(),
            })
            .collect()
    }

    /// Returns the identifier of a record's member.
    pub(super) fn label(&self, field: &Field<'_>) -> &str {
        self.labels.get(field.label as usize).map_or("", String::as_str)
    }

    /// Returns the record that a tool takes member by member, if it takes one.
    pub(super) fn parameters(&self, input: NodeId) -> Option<&Record<'t>> {
        match self.types.shape(input) {
            Shape::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the only value that a type admits.
    pub(super) fn constant(&self, id: NodeId) -> Option<&Literal<'t>> {
        match self.types.shape(id) {
            Shape::Literals(literals) if literals.len() == 1 => literals.first(),
            _ => None,
        }
    }
}

/// Returns the members of a record that a program chooses: a constant is not one.
pub(super) fn members<'w, 't>(
    work: &'w Work<'t>,
    record: &'w Record<'t>,
) -> impl Iterator<Item = &'w Field<'t>> {
    record.fields.iter().filter(|field| !(field.is_required && work.constant(field.node).is_some()))
}

/// The kinds of values that alternatives are told apart by.
pub(super) const KINDS: [Kinds; 5] = [Kinds::BOOL, Kinds::NUMBER, Kinds::STRING, Kinds::ARRAY, Kinds::OBJECT];

/// Returns the word for the last of some kinds; the words come in the order of [`KINDS`].
pub(super) fn kind_word(kinds: Kinds, words: [&'static str; 5]) -> &'static str {
    let mut pairs = KINDS.iter().zip(words).rev();
    pairs.find(|(kind, _)| !kinds.is_apart(**kind)).map_or("Other", |(_, word)| word)
}

/// Returns what a value of one of some kinds matches; the patterns come in the order of [`KINDS`].
pub(super) fn patterns(kinds: Kinds, patterns: [&'static str; 5], indent: &str) -> String {
    let pairs = KINDS.iter().zip(patterns);
    let matching: Vec<_> = pairs.filter(|(kind, _)| !kinds.is_apart(**kind)).map(|(_, text)| text).collect();
    format!("{indent}{}", matching.join(" | "))
}

/// Appends the documentation of a function: what it says of itself, where it belongs, then its parameters.
pub(super) fn push_docs(out: &mut String, comments: CommentWriter, work: &Work<'_>, at: usize) {
    let Some(tool) = work.types.tools.get(at) else { return };
    let description = tool.description.as_deref().unwrap_or_default();
    let before = out.len();
    comments.quote(out, &clean(description, MAX_DESCRIPTION, Hidden::Extended));
    if out.len() > before {
        comments.blank(out);
    }
    let place = format!("Tool \"{}\" of MCP server \"{}\".", quoted(&tool.name), quoted(work.server));
    comments.quote(out, &place);
    let Some(record) = work.parameters(tool.input) else { return };
    for field in &record.fields {
        if let Some(text) = note(work, field, MAX_NOTE) {
            comments.quote(out, &format!("{}: {text}", shortened(&field.name)));
        }
    }
}

/// Returns what is said about a member: the server's text and its default.
pub(super) fn note(work: &Work<'_>, field: &Field<'_>, max: usize) -> Option<String> {
    let text = work.types.note(field);
    let mut out = text.as_deref().map(|text| clean(text, max, Hidden::Extended)).unwrap_or_default();
    if out.bytes().all(|byte| byte == b' ') {
        out.clear();
    }
    if let Some(default) = work.types.fallback(field).filter(|default| *default != "null") {
        let lead = if out.is_empty() { "" } else { " " };
        let shown = clean(default, MAX_DEFAULT, Hidden::Extended);
        for part in [lead, "(default ", &shown, ")"] {
            out.push_str(part);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Returns a name as it is shown, cleaned and cut.
pub(super) fn shortened(name: &str) -> String {
    clean(name, MAX_NAME, Hidden::Extended)
}

/// Returns a name as it is shown between quotes, which it cannot end.
pub(super) fn quoted(name: &str) -> String {
    let name = shortened(name);
    if memchr::memchr2(b'"', b'\\', name.as_bytes()).is_none() {
        return name;
    }
    name.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns the first lines of a module. Those before the name of the server hold nothing from the outside.
fn header(body: &str, options: &Options) -> String {
    let comments = CommentWriter::header(options.language);
    let mut out = String::new();
    if options.language == Language::Python {
        out.extend([COOKIE, "\n"]);
    }
    comments.say(&mut out, &[ORIGIN[0], &header_digest(body, options), ORIGIN[1]]);
    for line in ABOUT {
        comments.say(&mut out, &[line]);
    }
    comments.quote(&mut out, &format!("MCP server \"{}\".", quoted(&options.server)));
    out
}

fn finish(mut module: Module, options: &Options) -> Result<String, GenerateError> {
    let header = header(&module.out, options);
    module.prepend(&header);
    options.check_source(module.out.len())?;
    module.check(Profile::Typed).map_err(GenerateError::SanitizerBreach)
}

/// Returns the words of a constant for an identifier.
pub(super) fn literal_word(literal: &Literal<'_>) -> Cow<'static, str> {
    match literal {
        Literal::Bool(true) => Cow::Borrowed("True"),
        Literal::Bool(false) => Cow::Borrowed("False"),
        Literal::Int(number) if *number < 0 => Cow::Owned(format!("Minus{}", number.unsigned_abs())),
        Literal::Int(number) => Cow::Owned(format!("N{number}")),
        Literal::Str(text) if text.is_empty() => Cow::Borrowed("Empty"),
        Literal::Str(text) => Cow::Owned(capital(text)),
    }
}
