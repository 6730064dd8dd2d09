//! The untouched text of Gleam modules, held against a grammar of the language.

use selvedge_core::codegen::Profile;
use selvedge_tests::generator::{BACKENDS, noise, options};
use tree_sitter::{Node, Parser, Tree};

use super::{any_text, fixtures, golden_listing, listing_text, run};

/// What stands at the top of a generated module, and nothing else.
const TOP: [&str; 8] = [
    "module_comment",
    "statement_comment",
    "comment",
    "import",
    "function",
    "type_definition",
    "type_alias",
    "constant",
];

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_gleam::LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap()
}

/// Visits every node, without recursion.
fn walk(root: Node<'_>, mut visit: impl FnMut(Node<'_>)) {
    let mut cursor = root.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn check(place: &str, source: &str) {
    let tree = parse(source);
    let root = tree.root_node();
    walk(root, |node| {
        let shown = || &source[node.byte_range()];
        assert!(!node.is_error() && !node.is_missing(), "{place}: {:?}\n{source}", shown());
        assert_ne!(node.kind(), "attribute", "{place}: {}", shown());
    });
    let mut cursor = root.walk();
    for node in root.children(&mut cursor) {
        assert!(TOP.contains(&node.kind()), "{place}: {} at the top", node.kind());
    }
}

#[test]
fn every_gleam_module_is_what_the_grammar_knows_and_holds_no_attribute() {
    let golden = ("golden".to_owned(), "notes".to_owned(), golden_listing());
    let mut cases: Vec<_> = fixtures()
        .into_iter()
        .map(|(case, fixture)| {
            let server = fixture.get("server").unwrap().as_str().unwrap().to_owned();
            let text = listing_text(&case);
            (case, server, text)
        })
        .collect();
    cases.push(golden);
    let mut seed = 0xC0FF_EE00_5E1E_D6E5;
    for round in 0..50 {
        cases.push((format!("round {round}"), "notes".into(), any_text(&noise(&mut seed, 512))));
    }
    let mut count = 0;
    for (case, server, text) in cases {
        for (backend, language, profile) in BACKENDS {
            if !matches!(backend, "loom" | "gleam") {
                continue;
            }
            let Ok(generated) = run(&text, &options(&server, language, profile)) else { continue };
            check(&format!("{case} in {backend}"), &generated.source);
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn the_support_files_are_what_the_grammar_knows() {
    let (_, language, _) = BACKENDS[0];
    let generated = run("[]", &options("notes", language, Profile::Loom)).unwrap();
    for file in generated.support {
        let tree = parse(file.text);
        assert!(!tree.root_node().has_error(), "{}", file.path);
    }
}

#[test]
fn the_grammar_finds_what_it_is_there_to_find() {
    let hostile = parse("/// x\n@external(erlang, \"os\", \"cmd\")\npub fn run(a: String) -> String\n");
    let mut has_attribute = false;
    walk(hostile.root_node(), |node| has_attribute |= node.kind() == "attribute");
    assert!(has_attribute);
    assert!(parse("pub fn (").root_node().has_error());
}
