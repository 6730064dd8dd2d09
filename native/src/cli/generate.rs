//! `selvedge generate` and `selvedge surface`: a typed module and what a model is shown, from a listing.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use selvedge::core::{
    codegen::{self, GenerateError, Generated, Level, Listing, Options, Profile},
    name::Language,
    protocol::{Listing as Listed, Tool},
    schema::Loss,
};
use serde::Serialize;

use super::{
    Exit, Failure, Output, Session,
    args::{Generate, Lang, Shape, Shown, Source, Surface, Wanted},
    files::Folder,
    text::one_line,
};

/// The longest listing that is read from a file.
const MAX_LISTING_BYTES: u64 = 64 << 20;

#[derive(Serialize)]
struct Document<'a> {
    module: &'a str,
    path: &'a str,
    source: &'a str,
    support: Vec<Piece<'a>>,
    surface: ShownSurface<'a>,
    losses: Vec<Lost<'a>>,
}

#[derive(Serialize)]
struct Piece<'a> {
    path: &'a str,
    text: &'a str,
}

/// A surface and the level that it has.
#[derive(Serialize)]
struct ShownSurface<'a> {
    level: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Lost<'a> {
    tool: &'a str,
    path: &'a str,
    reason: String,
}

/// A listing and the name of the server that it is of.
pub(super) struct Tools {
    text: String,
    server: String,
}

impl Tools {
    /// Reads a listing from a file, or from standard input.
    pub(super) fn read(source: &Source, path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let mut bytes = Vec::new();
        let read = if path == Path::new("-") {
            std::io::stdin().take(MAX_LISTING_BYTES + 1).read_to_end(&mut bytes)
        } else {
            std::fs::File::open(path)
                .and_then(|file| file.take(MAX_LISTING_BYTES + 1).read_to_end(&mut bytes))
        };
        read.map_err(|error| Failure::file(&shown, &error))?;
        if bytes.len() as u64 > MAX_LISTING_BYTES {
            return Err(Failure::usage(format!("{shown}: a listing of more than {MAX_LISTING_BYTES} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::usage(format!("{shown}: invalid UTF-8 after byte {at}"))
        })?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let named = stem.filter(|stem| stem != "-").unwrap_or_else(|| "server".to_owned());
        Ok(Self { text, server: source.name.clone().unwrap_or(named) })
    }

    /// Lists the tools of a running server.
    async fn of(session: &Session<'_>, source: &Source, profile: Profile) -> Result<Self, Failure> {
        let listed = session.wait("listing the tools", session.connection.list_tools()).await?;
        session.tell_stray().await;
        let entries = usable(session.output, &listed, profile)?;
        let own = &session.handshake.server.name;
        let named = if own.is_empty() { "server".to_owned() } else { own.clone() };
        Ok(Self { text: format!("[{entries}]"), server: source.name.clone().unwrap_or(named) })
    }
}

/// Joins the entries that can be used. Profile `loom` does not half-trust a server.
fn usable(output: &Output, listed: &Listed<Tool>, profile: Profile) -> Result<String, Failure> {
    if let Some(bad) = listed.quarantined.first() {
        let message = format!("tool {} of the listing cannot be used: {}", bad.index, one_line(&bad.reason));
        if profile == Profile::Loom {
            return Err(Failure::listing(message).hint("`--profile typed` leaves such tools out"));
        }
        for bad in &listed.quarantined {
            output.warn(&format!("tool {} is left out: {}", bad.index, one_line(&bad.reason)));
        }
    }
    let entries: Vec<_> = listed.items.iter().map(|tool| tool.raw.as_str()).collect();
    Ok(entries.join(","))
}

/// Turns what the command line says into what the generator takes.
fn options(wanted: &Wanted, shown: Option<Shown>, server: String) -> Result<Options, Failure> {
    let profile = match wanted.profile {
        Shape::Typed => Profile::Typed,
        Shape::Loom => Profile::Loom,
    };
    let language = match (wanted.lang, profile) {
        (Some(Lang::Gleam), _) | (None, Profile::Loom) => Language::Gleam,
        (Some(_), Profile::Loom) => {
            return Err(Failure::usage("profile `loom` is Gleam: leave out `--lang`, or say `--lang gleam`"));
        }
        (Some(Lang::Typescript) | None, _) => Language::TypeScript,
        (Some(Lang::Python), _) => Language::Python,
        (Some(Lang::Rust), _) => Language::Rust,
    };
    let level = match shown {
        None | Some(Shown::Auto) => None,
        Some(Shown::Names) => Some(Level::Names),
        Some(Shown::TwoLine) => Some(Level::TwoLine),
        Some(Shown::Notes) => Some(Level::Notes),
        Some(Shown::Full) => Some(Level::Full),
    };
    let mut options = Options { server, language, profile, level, ..Options::default() };
    if let Some(budget) = wanted.budget {
        options.max_surface_bytes = budget;
    }
    Ok(options)
}

fn profile(wanted: &Wanted) -> Profile {
    if wanted.profile == Shape::Loom { Profile::Loom } else { Profile::Typed }
}

pub(super) async fn generate(session: &Session<'_>, command: &Generate) -> Result<Exit, Failure> {
    let listing = Tools::of(session, &command.source, profile(&command.wanted)).await?;
    generate_from(session.output, command, listing)
}

/// Generates from a listing that is there.
pub(super) fn generate_from(output: &Output, command: &Generate, listing: Tools) -> Result<Exit, Failure> {
    let options = options(&command.wanted, command.surface, listing.server)?;
    let parsed = parse(&listing.text)?;
    let generated = codegen::generate(&parsed, &options).map_err(|error| refused(&error))?;
    if let Some(folder) = &command.out {
        write(output, folder, &generated)?;
    }
    if output.is_json {
        output.document(&document(&generated))?;
    } else if command.out.is_none() {
        output.print(printed(&generated, command.surface.is_some(), options.language)?)?;
        let files: Vec<_> = generated.support.iter().map(|file| file.path).collect();
        output.note(&format!("the module needs {} beside it; `--out DIR` writes them all", files.join(", ")));
    }
    tell_losses(output, &generated.losses, command.losses);
    Ok(Exit::Done)
}

pub(super) async fn surface(session: &Session<'_>, command: &Surface) -> Result<Exit, Failure> {
    let listing = Tools::of(session, &command.source, profile(&command.wanted)).await?;
    surface_from(session.output, command, listing)
}

/// Prints the surface of a listing that is there.
pub(super) fn surface_from(output: &Output, command: &Surface, listing: Tools) -> Result<Exit, Failure> {
    let options = options(&command.wanted, Some(command.level), listing.server)?;
    let parsed = parse(&listing.text)?;
    if let Some(tool) = &command.tool {
        let detail = codegen::detail(&parsed, &options, tool).map_err(|error| refused(&error))?;
        let detail = detail.ok_or_else(|| Failure::usage(format!("no tool is named {tool:?}")))?;
        if output.is_json {
            output.document(&Piece { path: tool, text: &detail })?;
        } else {
            output.print(detail)?;
        }
        return Ok(Exit::Done);
    }
    let generated = codegen::generate(&parsed, &options).map_err(|error| refused(&error))?;
    let surface = &generated.surface;
    if output.is_json {
        output.document(&ShownSurface { level: surface.level.name(), text: &surface.text })?;
    } else {
        output.print(surface.text.clone())?;
        let bytes = surface.text.len();
        output.note(&format!("level {}, {bytes} bytes", surface.level.name()));
    }
    Ok(Exit::Done)
}

fn parse(text: &str) -> Result<Listing<'_>, Failure> {
    Listing::parse(text).map_err(|error| {
        Failure::listing(error.to_string())
            .hint("a listing is a `tools/list` result, a response that holds one, or an array of tools")
    })
}

fn refused(error: &GenerateError) -> Failure {
    let failure = Failure::listing(one_line(&error.to_string()));
    match error {
        GenerateError::MalformedTool(_) => {
            failure.of_kind("malformed-tool").hint("`--profile typed` leaves such tools out")
        }
        GenerateError::TooManyTools { .. } => failure.of_kind("too-many-tools"),
        GenerateError::ToolNameCollision { .. } => failure.of_kind("name-collision"),
        GenerateError::SurfaceTooLarge { .. } => failure
            .of_kind("surface-too-large")
            .hint("a richer budget is given with `--budget BYTES`, a poorer level with `--surface names`"),
        GenerateError::SourceTooLarge { .. } => failure.of_kind("source-too-large"),
        GenerateError::SanitizerBreach(_) => failure.of_kind("breach"),
        _ => failure,
    }
}

fn document(generated: &Generated) -> Document<'_> {
    let lost = |loss: &'_ Loss| loss.reason.to_string();
    Document {
        module: &generated.module_name,
        path: &generated.path,
        source: &generated.source,
        support: generated.support.iter().map(|file| Piece { path: file.path, text: file.text }).collect(),
        surface: ShownSurface { level: generated.surface.level.name(), text: &generated.surface.text },
        losses: generated
            .losses
            .iter()
            .map(|loss| Lost { tool: &loss.tool, path: &loss.path, reason: lost(loss) })
            .collect(),
    }
}

/// Returns the module, with its surface in comments where that was asked for: the whole stays a module.
fn printed(generated: &Generated, with_surface: bool, language: Language) -> Result<String, Failure> {
    let mut text = generated.source.clone();
    if with_surface {
        let surface = generated.surface.in_comments(language);
        text.push('\n');
        text.push_str(&surface.map_err(|breach| refused(&GenerateError::SanitizerBreach(breach)))?);
    }
    Ok(text)
}

fn write(output: &Output, folder: &Path, generated: &Generated) -> Result<(), Failure> {
    let failed = |path: &str| {
        let shown = folder.join(path).display().to_string();
        move |error| Failure::file(&shown, &error)
    };
    let folder_of = Folder::open(folder).map_err(failed(""))?;
    let surface = format!("{}.surface.txt", generated.path);
    let own = [(surface.as_str(), &*generated.surface.text), (&generated.path, &generated.source)];
    // What a module needs is there before it is.
    let files: Vec<_> = generated.support.iter().map(|file| (file.path, file.text)).chain(own).collect();
    folder_of.write(&files).map_err(|(path, error)| failed(path)(error))?;
    for (path, _) in files {
        output.note(&format!("wrote {}", one_line(&PathBuf::from(folder).join(path).display().to_string())));
    }
    Ok(())
}

fn tell_losses(output: &Output, losses: &[Loss], all: bool) {
    if all {
        for loss in losses {
            let (tool, path) = (one_line(&loss.tool), one_line(&loss.path));
            output.note(&format!("{tool} {path}: {}", one_line(&loss.reason.to_string())));
        }
    } else if !losses.is_empty() {
        let count = losses.len();
        let places = if count == 1 { "place is" } else { "places are" };
        output.note(&format!("{count} {places} less precise than the schemas; `--losses` lists them"));
    }
}
