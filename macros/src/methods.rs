//! Glue between the methods of an `impl` block and the tools of a source.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Error, ImplItem, ImplItemFn, ItemImpl, Meta, Path, ReceiverKind, Result, meta,
    parse::Parser as _, spanned::Spanned as _,
};

use crate::{
    function,
    options::{Options, krate, krate_or_default},
};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut path = None;
    let read = |meta: meta::ParseNestedMeta<'_>| {
        if meta.path.is_ident("crate") {
            return krate(&mut path, &meta);
        }
        Err(meta.error("unknown option: expected `crate`"))
    };
    meta::parser(read).parse2(options)?;
    let mut block: ItemImpl = syn::parse2(item)?;
    if let Some((of, _)) = &block.trait_ {
        return Err(Error::new(of.span(), "tools are methods of the type itself"));
    }
    let tools = tools(&mut block, path.as_ref())?;
    let krate = krate_or_default(path.as_ref());
    let (of, generics) = (&block.self_ty, &block.generics);
    let (parameters, _, clause) = generics.split_for_impl();
    Ok(quote! {
        #block

        impl #parameters #krate::tools::ToolSource for #of #clause {
            fn into_tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#krate::tools::Tool> {
                ::std::vec![#(#tools),*]
            }
        }
    })
}

/// Takes the attributes off the methods and returns an expression for each tool.
fn tools(block: &mut ItemImpl, path: Option<&Path>) -> Result<Vec<TokenStream>> {
    let krate = krate_or_default(path);
    let (mut tools, mut names) = (Vec::new(), BTreeSet::new());
    let (of, mut errors) = (block.self_ty.clone(), None::<Error>);
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(attribute) = take_attribute(method) else { continue };
        let tool = method_tool(&krate, &of, method, &attribute, &mut names);
        match tool {
            Ok(tool) => tools.push(tool),
            Err(error) => match &mut errors {
                Some(all) => all.combine(error),
                None => errors = Some(error),
            },
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None if tools.is_empty() => Err(Error::new(of.span(), "no method is marked with `#[tool]`")),
        None => Ok(tools),
    }
}

fn take_attribute(method: &mut ImplItemFn) -> Option<Attribute> {
    let is_tool =
        |attribute: &Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "tool");
    let at = method.attrs.iter().position(is_tool)?;
    Some(method.attrs.remove(at))
}

fn method_tool(
    krate: &TokenStream,
    of: &syn::Type,
    method: &ImplItemFn,
    attribute: &Attribute,
    names: &mut BTreeSet<String>,
) -> Result<TokenStream> {
    let mut options = Options::default();
    if !matches!(attribute.meta, Meta::Path(_)) {
        attribute.parse_nested_meta(|meta| options.read(&meta))?;
    }
    let signature = &method.sig;
    let name = function::name(&options, signature);
    if !names.insert(name.value()) {
        return Err(Error::new(name.span(), format!("two tools are named `{}`", name.value())));
    }
    let ident = &signature.ident;
    let Some(receiver) = signature.receiver() else {
        // A function without a receiver needs nothing of the value.
        return function::tool(krate, &options, &method.attrs, signature, &quote!(<#of>::#ident));
    };
    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
        return Err(Error::new(receiver.span(), "calls run side by side: a tool takes `&self`"));
    }
    let tool = function::method(krate, &options, &method.attrs, signature, of)?;
    Ok(quote!({
        let source = ::std::sync::Arc::clone(&self);
        #tool
    }))
}

#[cfg(test)]
mod tests;
