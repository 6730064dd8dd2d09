//! The words that a language, or what we generate in it, keeps for itself.

/// A language that modules are generated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Gleam.
    Gleam,
    /// TypeScript, as an ECMAScript module.
    TypeScript,
    /// Python 3.10 or later.
    Python,
    /// Rust, edition 2021 or later.
    Rust,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 4] = [Self::Gleam, Self::TypeScript, Self::Python, Self::Rust];

    /// Returns the name by which a command line or a browser selects the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gleam => "gleam",
            Self::TypeScript => "typescript",
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }

    /// Returns whether an identifier of the language may not be spelled like this.
    #[must_use]
    pub fn reserves(self, word: &str) -> bool {
        let table: &[&str] = match self {
            Self::Gleam => &GLEAM,
            Self::TypeScript => &TYPESCRIPT,
            Self::Python => &PYTHON,
            Self::Rust => &RUST,
        };
        table.binary_search(&word).is_ok()
    }
}

/// The reserved words of Gleam.
pub(crate) const GLEAM: [&str; 22] = [
    "as",
    "assert",
    "auto",
    "case",
    "const",
    "delegate",
    "derive",
    "echo",
    "else",
    "fn",
    "if",
    "implement",
    "import",
    "let",
    "macro",
    "opaque",
    "panic",
    "pub",
    "test",
    "todo",
    "type",
    "use",
];

/// The reserved words of TypeScript, and the members by which an object or a module means something else:
/// one with `then` is awaited, one with `toString` is printed.
pub(crate) const TYPESCRIPT: [&str; 86] = [
    "Infinity",
    "NaN",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "abstract",
    "any",
    "arguments",
    "as",
    "asserts",
    "async",
    "await",
    "bigint",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "debugger",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "get",
    "hasOwnProperty",
    "if",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "interface",
    "is",
    "isPrototypeOf",
    "keyof",
    "let",
    "module",
    "namespace",
    "never",
    "new",
    "null",
    "number",
    "object",
    "of",
    "package",
    "private",
    "propertyIsEnumerable",
    "protected",
    "prototype",
    "public",
    "readonly",
    "return",
    "set",
    "static",
    "string",
    "super",
    "switch",
    "symbol",
    "then",
    "this",
    "throw",
    "toJSON",
    "toLocaleString",
    "toString",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unknown",
    "valueOf",
];

/// The reserved words of Python, soft ones included, and the names that a method of ours must not take.
pub(crate) const PYTHON: [&str; 43] = [
    "False",
    "None",
    "True",
    "__debug__",
    "_invoke",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "class",
    "cls",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "match",
    "nonlocal",
    "not",
    "or",
    "pass",
    "print",
    "raise",
    "return",
    "self",
    "try",
    "type",
    "while",
    "with",
    "yield",
];

/// The reserved words of Rust, strict, reserved and weak.
pub(crate) const RUST: [&str; 53] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        for table in [&GLEAM[..], &TYPESCRIPT, &PYTHON, &RUST] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }
}
