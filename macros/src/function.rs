//! Glue between a function and a tool.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Attribute, Error, FnArg, ItemFn, LitStr, PatType, Result, ReturnType, Signature, Type,
    ext::IdentExt as _, meta, parse::Parser as _, spanned::Spanned as _,
};

use crate::options::{Options, krate_or_default};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut read = Options::default();
    meta::parser(|meta| read.read(&meta)).parse2(options)?;
    let function: ItemFn = syn::parse2(item)?;
    let signature = &function.sig;
    if let Some(receiver) = signature.receiver() {
        let hint = "a method becomes a tool within an `impl` block that has the attribute `tools`";
        return Err(Error::new(receiver.span(), hint));
    }
    let krate = krate_or_default(read.krate.as_ref());
    let ident = &signature.ident;
    let tool = tool(&krate, &read, &function.attrs, signature, &quote!(#ident))?;
    let (maker, visibility) = (format_ident!("{}_tool", ident.unraw()), &function.vis);
    let docs = format!("Makes the tool of [`{ident}`].");
    Ok(quote! {
        #function

        #[doc = #docs]
        #[must_use]
        #visibility fn #maker() -> #krate::tools::Tool {
            #tool
        }
    })
}

/// Returns the name that clients see.
pub(crate) fn name(options: &Options, signature: &Signature) -> LitStr {
    let ident = &signature.ident;
    options.name.clone().unwrap_or_else(|| LitStr::new(&ident.unraw().to_string(), ident.span()))
}

/// Returns an expression that makes the tool of a function.
pub(crate) fn tool(
    krate: &TokenStream,
    options: &Options,
    attributes: &[Attribute],
    signature: &Signature,
    callee: &TokenStream,
) -> Result<TokenStream> {
    glue(krate, options, attributes, signature, &Callee { path: callee, source: None })
}

/// Returns an expression that makes the tool of a method; the value it belongs to is shared as `source`.
pub(crate) fn method(
    krate: &TokenStream,
    options: &Options,
    attributes: &[Attribute],
    signature: &Signature,
    of: &Type,
) -> Result<TokenStream> {
    let ident = &signature.ident;
    let callee = Callee { path: &quote!(<#of>::#ident), source: Some(quote!(&source)) };
    glue(krate, options, attributes, signature, &callee)
}

struct Callee<'a> {
    path: &'a TokenStream,
    source: Option<TokenStream>,
}

fn glue(
    krate: &TokenStream,
    options: &Options,
    attributes: &[Attribute],
    signature: &Signature,
    callee: &Callee<'_>,
) -> Result<TokenStream> {
    if let Some(generic) = signature.generics.params.first() {
        return Err(Error::new(generic.span(), "a tool has one schema: its function cannot be generic"));
    }
    let name = name(options, signature);
    let calls = options.calls(attributes, signature.ident.span())?;
    let parameters = parameters(signature)?;
    let of = parameters.iter().find_map(Parameter::arguments);
    let arguments = of.map_or_else(
        || quote!(_: #krate::tools::NoArguments),
        // The span puts an error about a type without a schema where the type stands.
        |of| quote_spanned!(of.span()=> arguments: #of),
    );
    let passed = parameters.iter().map(|parameter| match parameter {
        Parameter::Arguments(_) => quote!(arguments),
        Parameter::Context => quote!(context),
    });
    let awaited = signature.asyncness.map(|_| quote!(.await));
    let (path, source) = (callee.path, &callee.source);
    let passed = source.iter().cloned().chain(passed);
    let call = quote!(#path(#(#passed),*) #awaited);
    // Each call shares the value, and none borrows it.
    let shared = source.as_ref().map(|_| quote!(let source = ::std::sync::Arc::clone(&source);));
    let result = outcome(krate, &signature.output, &call);
    Ok(quote! {
        #krate::tools::Tool::new(#name) #calls .handler(
            move |#arguments, context: #krate::tools::Context| {
                #shared
                let _ = &context;
                async move { #result }
            }
        )
    })
}

enum Parameter<'a> {
    Arguments(&'a Type),
    Context,
}

impl<'a> Parameter<'a> {
    const fn arguments(&self) -> Option<&'a Type> {
        match self {
            Self::Arguments(of) => Some(of),
            Self::Context => None,
        }
    }
}

fn parameters(signature: &Signature) -> Result<Vec<Parameter<'_>>> {
    let (mut found, mut arguments, mut context) = (Vec::new(), None::<Span>, None::<Span>);
    for input in &signature.inputs {
        let FnArg::Typed(PatType { ty, .. }) = input else { continue };
        let span = input.span();
        let (slot, parameter, twice) = if is_named(ty, "Context") {
            (&mut context, Parameter::Context, "a tool has one `Context`")
        } else {
            let hint =
                "a tool takes one type of arguments: put them into a struct, whose members a client names";
            (&mut arguments, Parameter::Arguments(ty), hint)
        };
        if slot.replace(span).is_some() {
            return Err(Error::new(span, twice));
        }
        if let Type::Reference(reference) = &**ty {
            return Err(Error::new(reference.span(), "a tool owns its arguments and its `Context`"));
        }
        found.push(parameter);
    }
    Ok(found)
}

/// Returns an expression of type `Result<_, ToolError>`.
fn outcome(krate: &TokenStream, output: &ReturnType, call: &TokenStream) -> TokenStream {
    match output {
        ReturnType::Type(_, of) if is_named(of, "Result") => {
            quote_spanned!(of.span()=> #krate::tools::into_result(#call))
        }
        ReturnType::Type(_, of) => {
            quote_spanned!(of.span()=> ::core::result::Result::<#of, #krate::tools::ToolError>::Ok(#call))
        }
        ReturnType::Default => {
            quote!({ #call; ::core::result::Result::<(), #krate::tools::ToolError>::Ok(()) })
        }
    }
}

/// Returns whether the last part of a type's path is a name; an alias is known by no other sign.
fn is_named(of: &Type, name: &str) -> bool {
    match of {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
        Type::Reference(reference) => is_named(&reference.elem, name),
        _ => false,
    }
}
