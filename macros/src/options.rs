//! What stands between the parentheses of an attribute, and in the doc comment below it.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Attribute, Error, Expr, ExprLit, Lit, LitStr, Meta, Path, Result, ext::IdentExt, meta::ParseNestedMeta,
    spanned::Spanned as _,
};

const KNOWN: &str = "`name`, `title`, `description`, `read_only`, `destructive`, `idempotent`, `open_world`, `serves_content` or `crate`";

/// The options of one tool.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    read_only: Option<Span>,
    destructive: Option<Span>,
    idempotent: Option<Span>,
    open_world: Option<Span>,
    serves_content: Option<Span>,
    pub(crate) krate: Option<Path>,
}

impl Options {
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let Some(option) = meta.path.get_ident().map(IdentExt::unraw) else {
            return Err(meta.error(format!("unknown option: expected {KNOWN}")));
        };
        match option.to_string().as_str() {
            "name" => text(&mut self.name, meta),
            "title" => text(&mut self.title, meta),
            "description" => text(&mut self.description, meta),
            "read_only" => flag(&mut self.read_only, meta),
            "destructive" => flag(&mut self.destructive, meta),
            "idempotent" => flag(&mut self.idempotent, meta),
            "open_world" => flag(&mut self.open_world, meta),
            "serves_content" => flag(&mut self.serves_content, meta),
            "crate" => krate(&mut self.krate, meta),
            other => Err(meta.error(format!("unknown option `{other}`: expected {KNOWN}"))),
        }
    }

    /// Returns the calls that tell a builder what is known, after a check of what contradicts itself.
    pub(crate) fn calls(&self, docs: &[Attribute], item: Span) -> Result<TokenStream> {
        if let (Some(_), Some(destructive)) = (self.read_only, self.destructive) {
            return Err(Error::new(destructive, "a tool that is `read_only` destroys nothing"));
        }
        let described = self.description.as_ref().map(LitStr::value).or_else(|| doc(docs));
        let Some(description) = described else {
            return Err(Error::new(
                item,
                "a tool needs a doc comment or `description = \"…\"`: a model chooses by it",
            ));
        };
        let title = self.title.as_ref().map(|title| quote!(.title(#title)));
        let read_only = self.read_only.map(|_| quote!(.read_only()));
        let destructive = self.destructive.map(|_| quote!(.destructive()));
        let idempotent = self.idempotent.map(|_| quote!(.idempotent()));
        let open_world = self.open_world.map(|_| quote!(.open_world()));
        let serves_content = self.serves_content.map(|_| quote!(.serves_content()));
        Ok(quote!(
            #title.description(#description) #read_only #destructive #idempotent #open_world #serves_content
        ))
    }
}

/// Reads `crate = path`.
pub(crate) fn krate(slot: &mut Option<Path>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    *slot = Some(meta.value()?.call(Path::parse_mod_style)?);
    Ok(())
}

/// Returns the path of the crate `selvedge`.
pub(crate) fn krate_or_default(path: Option<&Path>) -> TokenStream {
    path.map_or_else(|| quote!(::selvedge), |path| quote!(#path))
}

fn text(slot: &mut Option<LitStr>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    once(slot, meta.value()?.parse()?, meta)
}

fn flag(slot: &mut Option<Span>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    once(slot, meta.path.span(), meta)
}

fn once<T>(slot: &mut Option<T>, value: T, meta: &ParseNestedMeta<'_>) -> Result<()> {
    match slot.replace(value) {
        Some(_) => Err(meta.error("this option is given twice")),
        None => Ok(()),
    }
}

/// Joins the lines of a doc comment, each without the blank that follows its slashes.
fn doc(attributes: &[Attribute]) -> Option<String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => Some(line.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> =
        lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned()).collect();
    let joined = lines.join("\n").trim().to_owned();
    (!joined.is_empty()).then_some(joined)
}
