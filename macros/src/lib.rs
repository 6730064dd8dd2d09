//! Attributes that make Model Context Protocol tools from functions; `selvedge` exports them.
//!
//! They write nothing but calls of `selvedge::tools::Tool`: a tool that was built by hand is no different.

mod function;
mod methods;
mod options;

use proc_macro::TokenStream;

/// Makes a tool from a function: beside `add`, the function `add_tool` returns its `Tool`.
///
/// Parameters: at most one type of arguments (`Deserialize` and `JsonSchema`), and at most one `Context`. The
/// result is a `Result` whose error is a `ToolError`, or a plain value; a value is anything that is
/// `IntoOutput`. The doc comment is the description.
///
/// Options: `name = "…"`, `title = "…"`, `description = "…"`, `read_only`, `destructive`, `idempotent`,
/// `open_world`, `serves_content`, `crate = path` for a renamed `selvedge`.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes tools from the methods of an `impl` block that are marked with `#[tool]`, which takes the same options
/// as [`macro@tool`]. The methods take `&self`; the value becomes a `ToolSource`.
///
/// Option: `crate = path` for a renamed `selvedge`.
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    methods::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
