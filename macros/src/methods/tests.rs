//! What is refused, and with which words.

#![expect(clippy::panic, reason = "a test may panic")]

use proc_macro2::TokenStream;
use syn::Error;

use crate::{function, methods};

fn stream(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn told(result: Result<TokenStream, Error>) -> Vec<String> {
    let error = result.err().unwrap_or_else(|| panic!("this must be refused"));
    error.into_iter().map(|error| error.to_string()).collect()
}

fn of_function(options: &str, function: &str) -> String {
    told(function::expand(stream(options), stream(function))).join("; ")
}

fn of_block(options: &str, block: &str) -> Vec<String> {
    told(methods::expand(stream(options), stream(block)))
}

#[test]
fn an_unknown_option_is_named_with_those_that_are_known() {
    let message = of_function("name = \"a\", reed_only", "fn f() {}");
    assert!(message.starts_with("unknown option `reed_only`: expected `name`"), "{message}");
    assert_eq!(of_function("read_only, read_only", "fn f() {}"), "this option is given twice");
    assert_eq!(of_function("name", "fn f() {}"), "expected `=`");
    assert_eq!(of_block("name", "impl A { #[tool] fn f(&self) {} }"), ["unknown option: expected `crate`"]);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let message = of_function("read_only, destructive", "/// F.\nfn f() {}");
    assert_eq!(message, "a tool that is `read_only` destroys nothing");
}

#[test]
fn a_tool_without_a_description_is_refused() {
    assert!(of_function("", "async fn f() {}").starts_with("a tool needs a doc comment or"));
    assert!(of_function("", "///\nasync fn f() {}").starts_with("a tool needs a doc comment or"));
}

#[test]
fn parameters_that_have_no_place_are_refused() {
    let refused = |function| of_function("", &format!("/// F.\n{function}"));
    assert!(refused("fn f(a: A, b: B) {}").starts_with("a tool takes one type of arguments"));
    assert_eq!(refused("fn f(context: &Context) {}"), "a tool owns its arguments and its `Context`");
    assert_eq!(refused("fn f(a: Context, b: x::Context) {}"), "a tool has one `Context`");
    assert!(refused("fn f<T>(a: T) {}").ends_with("cannot be generic"));
    assert!(refused("fn f(&self) {}").contains("`impl` block"));
}

#[test]
fn every_fault_of_a_block_is_told_at_once() {
    let block = "impl A {
        /// F.
        #[tool(name = \"same\")] fn f(&self) {}
        /// G.
        #[tool(name = \"same\")] fn g(&self) {}
        /// I.
        #[tool] fn i(&mut self) {}
        /// J.
        #[tool] fn j(self) {}
    }";
    let shared = "calls run side by side: a tool takes `&self`";
    assert_eq!(of_block("", block), ["two tools are named `same`", shared, shared]);
}

#[test]
fn a_block_without_tools_is_refused() {
    assert_eq!(of_block("", "impl A { fn f(&self) {} }"), ["no method is marked with `#[tool]`"]);
    let of_trait = of_block("", "impl T for A { #[tool] fn f(&self) {} }");
    assert_eq!(of_trait, ["tools are methods of the type itself"]);
}
