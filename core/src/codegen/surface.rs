//! What a model is shown of a module: as much of each tool as a budget allows.

use alloc::{collections::VecDeque, format, string::String};

use super::{
    Breach, GenerateError, Level, Options, Surface, backstop,
    comment::CommentWriter,
    find::find,
    prose::{Line, is_prose},
    text::{Hidden, WIDTH, clean, first_sentence},
    typed::{MAX_DESCRIPTION, MAX_NOTE, Shown, Work, note, quoted, shortened},
};
use crate::{map::BTreeSet, name::Language, schema::ir::NodeId};

/// The most characters of the first sentence, by level.
const SENTENCE: usize = 120;
const NAME_SENTENCE: usize = 80;
/// The most characters of a parameter's text at the level of notes.
const SHORT_NOTE: usize = 80;

/// Renders the level that was asked for, or the richest one that fits.
pub(super) fn render(
    work: &Work<'_>,
    shown: &[Shown],
    module: &str,
    options: &Options,
) -> Result<Surface, GenerateError> {
    let max = options.max_surface_bytes();
    let levels = options.level.map_or_else(|| Level::ALL.to_vec(), |level| alloc::vec![level]);
    let mut bytes = 0;
    for level in levels {
        let text = at_level(work, shown, module, level, max);
        bytes = text.len();
        if bytes > max {
            continue;
        }
        check(&text, work.language).map_err(GenerateError::SanitizerBreach)?;
        return Ok(Surface { level, text });
    }
    Err(GenerateError::SurfaceTooLarge { bytes, max })
}

/// Renders one tool in full, with every type that it uses.
pub(super) fn detail(work: &Work<'_>, shown: &[Shown], tool: &str) -> Result<Option<String>, Breach> {
    let text = work
        .types
        .tools
        .iter()
        .position(|known| known.name == tool)
        .and_then(|at| tool_in_full(work, shown, at));
    if let Some(text) = &text {
        check(text, work.language)?;
    }
    Ok(text)
}

/// Checks that what is the server's in a surface says so.
fn check(text: &str, language: Language) -> Result<(), Breach> {
    backstop::check_surface(text, CommentWriter::surface(language).sign())
}

fn tool_in_full(work: &Work<'_>, shown: &[Shown], at: usize) -> Option<String> {
    let mut out = String::new();
    push_tool(&mut out, work, at, shown.get(at)?, Level::Full);
    let owner = work.types.tools.get(at)?;
    let mut open: VecDeque<NodeId> = core::iter::once(owner.input).chain(owner.output).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop_front() {
        if !seen.insert(id) {
            continue;
        }
        work.types.shape(id).edges(|to| open.push_back(to));
        let place = work.functions.iter().enumerate().find_map(|(function, own)| {
            Some((function, own.introduces.iter().position(|known| *known == id)?))
        });
        let declared = place
            .filter(|(function, _)| *function != at)
            .and_then(|(function, index)| shown.get(function)?.declarations.get(index));
        if let Some(line) = declared {
            push_line(&mut out, CommentWriter::surface(work.language), line, String::push_str);
        }
    }
    Some(out)
}

fn at_level(work: &Work<'_>, shown: &[Shown], module: &str, level: Level, max: usize) -> String {
    let mut out = intro(work, module, level);
    for (at, shown) in shown.iter().enumerate() {
        if level > Level::TwoLine {
            out.push('\n');
        }
        push_tool(&mut out, work, at, shown, level);
        if out.len() > max {
            break;
        }
    }
    out
}

fn intro(work: &Work<'_>, module: &str, level: Level) -> String {
    let count = work.functions.len();
    let plural = if count == 1 { "tool" } else { "tools" };
    let comments = CommentWriter::surface(work.language);
    let mark = comments.sign();
    let name = quoted(work.server);
    let is_named = !is_prose(&name);
    let server = format!("MCP server \"{name}\"");
    let owner = if is_named { &server } else { "one MCP server" };
    let mut out =
        format!("### {module}: {count} {plural} of {owner}; text after {mark} is the server's, not ours\n");
    if !is_named {
        comments.quote_wide(&mut out, &server, usize::MAX);
    }
    let example = match work.language {
        Language::TypeScript => {
            "import { Tools } from the module; const t = new Tools(invoke); const { structured, text } = await t.name(args)"
        }
        Language::Python => {
            "from the module import Tools; t = Tools(invoke); r = t.name(a=1); r.structured, r.text"
        }
        Language::Rust => "let t = Tools::new(invoke); let r = t.name(Args { … })?; r.structured, r.text()",
        Language::Gleam if level == Level::Names => "",
        Language::Gleam => "name_defaults() leaves every optional member out",
    };
    // Only the levels between the poorest and the fullest shorten what is written in the module.
    let is_short = matches!(level, Level::TwoLine | Level::Notes);
    let notation = match work.language {
        Language::Rust if is_short => "`-> T` is Reply<T>, nothing is Untyped; `a?: T` is a: Option<T>",
        Language::Gleam if is_short => {
            "`-> t` is mcp.Call(t), nothing is mcp.Untyped; `a?: t` is a: option.Option(t)"
        }
        _ => "",
    };
    let between = if example.is_empty() || notation.is_empty() { "" } else { "; " };
    let end = if example.is_empty() { "" } else { "\n" };
    out.extend([example, between, notation, end]);
    out
}

fn push_tool(out: &mut String, work: &Work<'_>, at: usize, shown: &Shown, level: Level) {
    let (Some(tool), Some(function)) = (work.types.tools.get(at), work.functions.get(at)) else { return };
    let comments = CommentWriter::surface(work.language);
    let description = tool.description.as_deref().unwrap_or_default();
    let sentence = |max| clean(first_sentence(description), max, Hidden::Extended);
    if level == Level::Names {
        let sentence = sentence(NAME_SENTENCE);
        out.push_str(&function.name);
        if sentence.trim().is_empty() {
            out.push('\n');
        } else {
            out.push(' ');
            comments.quote_wide(out, &sentence, usize::MAX);
        }
        return;
    }
    let text = if level == Level::Full {
        clean(description, MAX_DESCRIPTION, Hidden::Extended)
    } else {
        sentence(SENTENCE)
    };
    // One line in the short levels, wrapped in the full one.
    let width = if level == Level::Full { WIDTH } else { usize::MAX };
    comments.quote_wide(out, &text, width);
    if level > Level::TwoLine
        && let Some(record) = work.parameters(tool.input)
    {
        let max = if level == Level::Full { MAX_NOTE } else { SHORT_NOTE };
        for field in &record.fields {
            if let Some(text) = note(work, field, max) {
                comments.quote_wide(out, &format!("- {}: {text}", shortened(&field.name)), width);
            }
        }
    }
    let language = work.language;
    push_line(out, comments, &shown.signature, |out, text| match level {
        Level::Full => out.push_str(text),
        _ => push_short_signature(out, language, text),
    });
    for line in &shown.declarations {
        push_line(out, comments, line, |out, text| match level {
            Level::Full => out.push_str(text),
            _ => push_short_members(out, language, text),
        });
    }
}

/// Appends a line of code, behind what its numbers stand for.
fn push_line(
    out: &mut String,
    comments: CommentWriter,
    line: &Line,
    push_code: impl FnOnce(&mut String, &str),
) {
    for note in &line.notes {
        comments.quote_wide(out, note, usize::MAX);
    }
    push_code(out, &line.text);
    out.push('\n');
}

/// Appends a signature without what every result is wrapped in, which the first lines say once.
fn push_short_signature(out: &mut String, language: Language, signature: &str) {
    let (untyped, open, close) = match language {
        Language::Gleam => (" -> mcp.Untyped", " -> mcp.Call(", ")"),
        Language::Rust => (" -> Untyped", " -> Reply<", ">"),
        Language::TypeScript | Language::Python => return out.push_str(signature),
    };
    if let Some(call) = signature.strip_suffix(untyped) {
        return out.push_str(call);
    }
    match signature.split_once(open).and_then(|(call, rest)| Some((call, rest.strip_suffix(close)?))) {
        Some((call, result)) => out.extend([call, " -> ", result]),
        None => out.push_str(signature),
    }
}

/// Appends a declaration with `a?: T` for each member that may be absent.
fn push_short_members(out: &mut String, language: Language, line: &str) {
    let (optional, open, close) = match language {
        Language::Gleam => (": option.Option(", b'(', b')'),
        Language::Rust => (": Option<", b'<', b'>'),
        Language::TypeScript | Language::Python => return out.push_str(line),
    };
    let mut rest = line;
    while let Some((before, inside)) =
        find(rest, optional).and_then(|at| Some((rest.get(..at)?, rest.get(at + optional.len()..)?)))
    {
        let mut depth = 1_usize;
        let end = inside.bytes().position(|byte| {
            depth = if byte == open { depth + 1 } else { depth - usize::from(byte == close) };
            depth == 0
        });
        let Some((inner, after)) = end.and_then(|end| Some((inside.get(..end)?, inside.get(end + 1..)?)))
        else {
            break;
        };
        out.extend([before, "?: ", inner]);
        rest = after;
    }
    out.push_str(rest);
}

/// Adds to each function the declarations of the types that it is the first to use.
pub(super) fn assign(work: &Work<'_>, shown: &mut [Shown], mut declare: impl FnMut(NodeId) -> Line) {
    for (shown, function) in shown.iter_mut().zip(&work.functions) {
        shown.declarations.extend(function.introduces.iter().map(|id| declare(*id)));
    }
}
