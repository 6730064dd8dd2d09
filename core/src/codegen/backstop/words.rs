//! The words that our emitters write, for each language.

use crate::name::Language;

/// The words that an emitter of one language writes of its own accord, found without comparing many.
pub(super) struct Ours {
    /// One more than the place of a word in the table, at its mark or after; 0 where there is none.
    places: [u8; SLOTS],
    table: &'static [&'static str],
}

/// Much more than there are words, so that few share a slot; the words are fixed, so nobody can crowd one.
const SLOTS: usize = 512;

impl Ours {
    pub(super) fn new(language: Language) -> Self {
        let table: &[&str] = match language {
            Language::Gleam => &GLEAM,
            Language::TypeScript => &TYPESCRIPT,
            Language::Python => &PYTHON,
            Language::Rust => &RUST,
        };
        let mut ours = Self { places: [0; SLOTS], table };
        for (word, place) in table.iter().zip(1..) {
            let mut slot = mark(word);
            while let Some(taken) = ours.places.get_mut(slot % SLOTS) {
                if *taken == 0 {
                    *taken = place;
                    break;
                }
                slot += 1;
            }
        }
        ours
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        let mut slot = mark(word);
        while let Some(place @ 1..) = self.places.get(slot % SLOTS) {
            if self.table.get(usize::from(*place) - 1) == Some(&word) {
                return true;
            }
            slot += 1;
        }
        false
    }
}

fn mark(word: &str) -> usize {
    let bytes = word.as_bytes();
    let at = |place: usize| bytes.get(place).copied().map_or(0, usize::from);
    at(0) * 7 + at(bytes.len() / 2) * 13 + at(bytes.len().wrapping_sub(1)) * 31 + bytes.len() * 61
}

/// Returns whether something outside of all brackets may begin with this word at the margin.
pub(super) fn may_start(language: Language, word: &str) -> bool {
    let starts: &[&str] = match language {
        Language::Gleam => &["import", "pub", "fn"],
        Language::TypeScript => &["import", "export", "const"],
        Language::Python => &["from", "import", "class", "def"],
        Language::Rust => &["#", "use", "pub", "impl", "fn"],
    };
    starts.contains(&word)
        || language == Language::Python && word.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Returns whether this word may follow `pub` at the margin.
pub(super) fn may_be_public(word: &str) -> bool {
    ["fn", "type", "struct", "enum"].contains(&word)
}

const GLEAM: [&str; 81] = [
    "ArrayValue",
    "Bool",
    "BoolValue",
    "Call",
    "DecodeError",
    "False",
    "Float",
    "FloatValue",
    "Int",
    "IntValue",
    "List",
    "MapValue",
    "McpError",
    "Nil",
    "None",
    "Ok",
    "Option",
    "Reply",
    "Result",
    "Some",
    "String",
    "StringValue",
    "ToolResult",
    "True",
    "Untyped",
    "Value",
    "_",
    "_value",
    "append",
    "arguments",
    "as",
    "as_bool",
    "as_float",
    "as_int",
    "as_list",
    "as_map",
    "as_null",
    "as_nullable",
    "as_string",
    "as_value",
    "bool",
    "call",
    "cap",
    "case",
    "choose",
    "constant",
    "declared",
    "float",
    "fn",
    "gleam",
    "import",
    "int",
    "internal",
    "invoke",
    "list",
    "map",
    "maybe",
    "mcp",
    "members",
    "no_alternative",
    "null",
    "nullable",
    "number",
    "object",
    "option",
    "optional",
    "options",
    "others",
    "pub",
    "report",
    "required",
    "rest",
    "same",
    "string",
    "tag",
    "then",
    "type",
    "undeclared",
    "use",
    "value",
    "with",
];
const TYPESCRIPT: [&str; 28] = [
    "Call",
    "Invoke",
    "Json",
    "JsonObject",
    "Tools",
    "_invoke",
    "args",
    "boolean",
    "call",
    "callTyped",
    "class",
    "constructor",
    "export",
    "false",
    "from",
    "import",
    "invoke",
    "key",
    "never",
    "null",
    "number",
    "readonly",
    "return",
    "string",
    "this",
    "true",
    "type",
    "unknown",
];
const PYTHON: [&str; 35] = [
    "Base",
    "Dict",
    "False",
    "Json",
    "List",
    "Literal",
    "None",
    "Optional",
    "ToolResult",
    "Tools",
    "True",
    "TypeAlias",
    "TypedDict",
    "UNSET",
    "Union",
    "Unset",
    "__future__",
    "_call",
    "annotations",
    "arguments",
    "bool",
    "class",
    "def",
    "float",
    "from",
    "import",
    "int",
    "pass",
    "rest",
    "return",
    "self",
    "selvedge",
    "str",
    "total",
    "typing",
];
const RUST: [&str; 86] = [
    "BTreeMap",
    "Bool",
    "Box",
    "Choice",
    "Clone",
    "Constant",
    "Copy",
    "Debug",
    "Decode",
    "Default",
    "Encode",
    "Float",
    "I",
    "Int",
    "Invoke",
    "Json",
    "KIND",
    "List",
    "Mismatch",
    "Object",
    "Ok",
    "Option",
    "PartialEq",
    "Path",
    "Reply",
    "Result",
    "Self",
    "String",
    "TABLE",
    "TAG",
    "Text",
    "Tools",
    "Untyped",
    "Vec",
    "_",
    "all",
    "allow",
    "args",
    "bool",
    "call",
    "choose",
    "chosen",
    "clippy",
    "collections",
    "const",
    "constant",
    "dead_code",
    "decode",
    "derive",
    "encode",
    "enum",
    "f64",
    "fail",
    "false",
    "finish",
    "fn",
    "for",
    "i64",
    "impl",
    "invoke",
    "json",
    "let",
    "match",
    "maybe",
    "members",
    "new",
    "optional",
    "path",
    "pedantic",
    "pub",
    "required",
    "rest",
    "rustdoc",
    "self",
    "selvedge",
    "static",
    "std",
    "struct",
    "super",
    "tag",
    "true",
    "type",
    "unused_imports",
    "use",
    "value",
    "with",
];
