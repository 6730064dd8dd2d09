//! The file tools: `read_file`, `search`, `git_diff`, `write_file`.

use std::sync::Arc;

use schemars::JsonSchema;
use selvedge_core::policy::{Counts, Kind};
use serde::Deserialize;

use super::{Body, Comparison, Fault, Project, ProjectError, ProjectPath, Query, Syntax, Written};
use crate::tools::{Content, DefinitionError, Resource, Tool, ToolError, ToolOutput, Toolset};

/// What `read_file` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    /// The path of the file within the project.
    path: String,
    /// The first line that is wanted, from 1.
    #[serde(default)]
    first_line: Option<usize>,
    /// The last line that is wanted.
    #[serde(default)]
    last_line: Option<usize>,
}

/// What `search` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchFiles {
    /// The text to look for.
    pattern: String,
    /// Whether the pattern is a regular expression.
    #[serde(default)]
    regex: bool,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// The folder to search in; the whole project without it.
    #[serde(default)]
    path: Option<String>,
    /// How many lines to show before and after each hit; at most 10.
    #[serde(default)]
    context: usize,
}

/// What `git_diff` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GitDiff {
    /// The revision to compare with, such as `main` or `HEAD~1`; `HEAD` without it.
    #[serde(default)]
    base: Option<String>,
    /// Whether to compare what is staged instead of the working tree.
    #[serde(default)]
    staged: bool,
    /// The file or folder to compare; the whole project without it.
    #[serde(default)]
    path: Option<String>,
}

/// What `write_file` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteFile {
    /// The path of the file within the project.
    path: String,
    /// The whole text of the file.
    content: String,
}

/// Returns the file tools of a project.
///
/// # Errors
///
/// Never: their names differ.
pub fn tools(project: &Arc<Project>) -> Result<Toolset, DefinitionError> {
    let mut tools = Toolset::new();
    tools.add(
        Tool::new("read_file")
            .title("Read a file")
            .description(
                "Reads a file of the project, or some of its lines. Credentials in a text are hidden.",
            )
            .read_only()
            .idempotent()
            .serves_content()
            .handler(blocking(project, read_file)),
    )?;
    tools.add(
        Tool::new("search")
            .title("Search the project")
            .description("Finds lines in the text files of the project, by a text or a regular expression.")
            .read_only()
            .idempotent()
            .serves_content()
            .handler(blocking(project, search)),
    )?;
    tools.add(
        Tool::new("git_diff")
            .title("Show changes")
            .description(
                "Shows what changed in the files of the project that Git tracks, as a unified diff. Credentials are hidden.",
            )
            .read_only()
            .idempotent()
            .serves_content()
            .handler(blocking(project, git_diff)),
    )?;
    tools.add(
        Tool::new("write_file")
            .title("Write a file")
            .description("Writes a whole text file of the project, in the place of the one that is there.")
            .destructive()
            .idempotent()
            .handler(blocking(project, write_file)),
    )?;
    Ok(tools)
}

/// Runs a function on a thread that may block.
fn blocking<T: Send + 'static>(
    project: &Arc<Project>,
    work: fn(&Project, &T) -> Result<ToolOutput, ToolError>,
) -> impl Fn(T, crate::tools::Context) -> Running + Send + Sync + 'static {
    let project = project.clone();
    move |arguments, _| {
        let project = project.clone();
        let running = tokio::task::spawn_blocking(move || work(&project, &arguments));
        Box::pin(async move {
            match running.await {
                Ok(result) => result,
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => Err(ToolError::new("the server is shutting down")),
                },
            }
        })
    }
}

type Running = crate::tools::BoxFuture<'static, Result<ToolOutput, ToolError>>;

fn read_file(project: &Project, wanted: &ReadFile) -> Result<ToolOutput, ToolError> {
    let path = ProjectPath::new(&wanted.path)?;
    let lines = match project.read_lines(&path, wanted.first_line, wanted.last_line) {
        Err(ProjectError { fault: Fault::Binary, .. }) => return read_bytes(project, &path),
        lines => lines?,
    };
    let mut notes = Vec::new();
    if lines.first > 1 || lines.last < lines.of {
        notes.push(format!("lines {} to {} of {}", lines.first, lines.last, lines.of));
    }
    notes.extend(hidden(&lines.redactions));
    Ok(with_notes(Content::text(lines.text), &notes))
}

fn read_bytes(project: &Project, path: &ProjectPath) -> Result<ToolOutput, ToolError> {
    let document = project.read(path)?;
    let max = project.options().max_answer_bytes;
    let len = match &document.body {
        Body::Blob(bytes) => bytes.len(),
        Body::Text(text) => text.len(),
    };
    if len > max {
        return Err(path.fault(Fault::TooLarge { max: max as u64 }).into());
    }
    Ok(ToolOutput::new(vec![match document {
        super::Document { mime_type, body: Body::Blob(data), .. } if mime_type.starts_with("image/") => {
            Content::Image { data, mime_type: mime_type.to_owned() }
        }
        other => Content::Resource(Resource::from(other)),
    }]))
}

fn search(project: &Project, wanted: &SearchFiles) -> Result<ToolOutput, ToolError> {
    let within = folder(wanted.path.as_deref())?;
    let query = Query {
        pattern: wanted.pattern.clone(),
        syntax: if wanted.regex { Syntax::Regex } else { Syntax::Literal },
        ignores_case: wanted.ignore_case,
        within,
        context: wanted.context,
    };
    let found = project.search(&query)?;
    let text = found.to_text(project.options().max_answer_bytes);
    // What was hidden elsewhere in these files concerns nobody.
    let is_marked = Kind::ALL.iter().any(|kind| text.contains(kind.mark()));
    let notes: Vec<_> = hidden(&found.redactions).filter(|_| is_marked).into_iter().collect();
    Ok(with_notes(Content::text(text), &notes))
}

fn git_diff(project: &Project, wanted: &GitDiff) -> Result<ToolOutput, ToolError> {
    let within = folder(wanted.path.as_deref())?;
    let changes =
        project.changes(&Comparison { base: wanted.base.clone(), is_staged: wanted.staged, within })?;
    let mut notes = changes.cut;
    if changes.excluded > 0 {
        notes.push(format!("changed files that are hidden or ignored: {}", changes.excluded));
    }
    if changes.hidden > 0 {
        notes.push(format!("credentials hidden: {}", changes.hidden));
    }
    let text = if changes.text.is_empty() { "no changes\n".to_owned() } else { changes.text };
    Ok(with_notes(Content::text(text), &notes))
}

/// Takes a folder of the project; `None` for all of it.
fn folder(path: Option<&str>) -> Result<Option<ProjectPath>, ProjectError> {
    let path = path.filter(|path| !matches!(*path, "" | "." | "./"));
    path.map(ProjectPath::new).transpose()
}

fn write_file(project: &Project, wanted: &WriteFile) -> Result<ToolOutput, ToolError> {
    let path = ProjectPath::new(&wanted.path)?;
    let verb = match project.write(&path, &wanted.content)? {
        Written::Created => "created",
        Written::Replaced => "replaced",
    };
    Ok(ToolOutput::new(vec![Content::text(format!("{verb} {path}, {} bytes", wanted.content.len()))]))
}

fn hidden(counts: &Counts) -> Option<String> {
    let total = counts.total();
    (total > 0).then(|| format!("credentials hidden: {total}"))
}

fn with_notes(content: Content, notes: &[String]) -> ToolOutput {
    let mut blocks = vec![content];
    if !notes.is_empty() {
        blocks.push(Content::text(format!("({})", notes.join("; "))));
    }
    ToolOutput::new(blocks)
}
