//! Identifiers that collide, because their digest was engineered to.

use selvedge_core::{
    codegen::{GenerateError, Profile},
    name::{Language, sha256},
};
use selvedge_tests::generator::{BACKENDS, options};

use super::run;

/// Gives everything the same first eight digits.
fn colliding(bytes: &[u8]) -> String {
    format!("00000000{}", sha256(bytes))
}

/// Tells names apart in the eighth digit only.
fn near_miss(bytes: &[u8]) -> String {
    let sum: usize = bytes.iter().copied().map(usize::from).sum();
    format!("0000000{:x}", sum % 16)
}

/// G08, and G02 with a reason that is harder to see.
#[test]
fn tools_whose_digests_collide_are_refused_by_both_of_their_names() {
    let text = r#"[{"name":"create-it","inputSchema":{"type":"object"}},{"name":"create.it","inputSchema":{"type":"object"}}]"#;
    for (backend, language, profile) in BACKENDS {
        let mut options = options("notes", language, profile);
        options.digest = colliding;
        let refused = run(text, &options).unwrap_err();
        assert!(matches!(refused, GenerateError::ToolNameCollision { .. }), "{backend}: {refused}");
        let said = refused.to_string();
        assert!(said.contains("\"create-it\"") && said.contains("\"create.it\""), "{backend}: {said}");
        options.digest = near_miss;
        let source = run(text, &options).unwrap().source;
        for name in ["create_it_0000000", "\"create-it\"", "\"create.it\""] {
            assert!(source.contains(name), "{backend}: {source}");
        }
    }
}

/// G08.
#[test]
fn labels_whose_digests_collide_degrade_their_tool_and_no_other() {
    let text = r#"[
        {"name":"pair","inputSchema":{"type":"object","properties":{"a-b":{"type":"string"},"a.b":{"type":"string"}},"required":["a-b","a.b"]}},
        {"name":"rest","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}
    ]"#;
    for (backend, language, profile) in BACKENDS {
        let mut options = options("notes", language, profile);
        options.digest = colliding;
        let generated = run(text, &options).unwrap();
        let both = format!("{}{}", generated.source, generated.surface.text);
        assert!(both.contains("city"), "{backend}: {both}");
        let lost: Vec<_> = generated.losses.iter().map(|loss| loss.tool.as_str()).collect();
        // A property of TypeScript keeps its name, so nothing collides there.
        let expected: &[&str] = if language == Language::TypeScript { &[] } else { &["pair"] };
        assert_eq!(lost, expected, "{backend}: {:?}", generated.losses);
        assert!(!both.contains("a_b_00000000:"), "{backend}: {both}");
        options.digest = near_miss;
        let generated = run(text, &options).unwrap();
        assert_eq!(generated.losses, [], "{backend}");
        if profile == Profile::Loom {
            assert_eq!(generated.source.matches("a_b_0000000").count() % 2, 0, "{}", generated.source);
        }
    }
}
