//! The words that our emitters write, for each language.

use crate::name::Language;

/// Returns whether an emitter of this language writes this word of its own accord.
pub(super) fn is_ours(language: Language, word: &str) -> bool {
    let table: &[&str] = match language {
        Language::Gleam => &GLEAM,
        Language::TypeScript => &TYPESCRIPT,
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
    };
    table.binary_search(&word).is_ok()
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

const GLEAM: [&str; 29] = [
    "Bool",
    "Float",
    "Int",
    "List",
    "McpError",
    "Result",
    "String",
    "ToolResult",
    "Value",
    "append",
    "arguments",
    "as",
    "bool",
    "cap",
    "float",
    "fn",
    "gleam",
    "import",
    "int",
    "internal",
    "invoke",
    "list",
    "map",
    "mcp",
    "object",
    "options",
    "pub",
    "report",
    "string",
];
const TYPESCRIPT: [&str; 27] = [
    "Call",
    "Invoke",
    "Json",
    "JsonObject",
    "Tools",
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
const RUST: [&str; 85] = ["BTreeMap", "Bool", "Box", "Choice", "Clone", "Constant", "Copy", "Debug", "Decode", "Default", "Encode", "Float", "I", "Int", "Invoke", "Json", "KIND", "List", "Mismatch", "Object", "Ok", "Option", "PartialEq", "Path", "Reply", "Result", "Self", "String", "TABLE", "TAG", "Text", "Tools", "Vec", "_", "all", "allow", "args", "bool", "call", "choose", "chosen", "clippy", "collections", "const", "constant", "dead_code", "decode", "derive", "encode", "enum", "f64", "fail", "false", "finish", "fn", "for", "i64", "impl", "invoke", "json", "let", "match", "maybe", "members", "new", "optional", "path", "pedantic", "pub", "required", "rest", "rustdoc", "self", "selvedge", "static", "std", "struct", "super", "tag", "true", "type", "unused_imports", "use", "value", "with"];
