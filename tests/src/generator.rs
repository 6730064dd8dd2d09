//! Listings at random, for fuzzing and for tests: schemas that are nearly right, and texts that are not.

use std::fmt::Write as _;

use selvedge_core::{
    codegen::{Generated, Options, Profile},
    json::Value,
    name::Language,
};

/// The backends: profile `loom`, and profile `typed` in every language.
pub const BACKENDS: [(&str, Language, Profile); 5] = [
    ("loom", Language::Gleam, Profile::Loom),
    ("gleam", Language::Gleam, Profile::Typed),
    ("typescript", Language::TypeScript, Profile::Typed),
    ("python", Language::Python, Profile::Typed),
    ("rust", Language::Rust, Profile::Typed),
];

/// Returns the options of a backend.
#[must_use]
pub fn options(server: &str, language: Language, profile: Profile) -> Options {
    Options { server: server.into(), language, profile, ..Options::default() }
}

/// Checks what holds for whatever is generated within the limits of the profile.
pub fn check_sanity(place: &str, generated: &Generated) {
    assert!(!generated.source.bytes().any(|byte| byte < 0x20 && byte != b'\n' || byte == 0x7F), "{place}");
    assert!(generated.source.ends_with('\n') && !generated.source.ends_with("\n\n"), "{place}");
    assert!(generated.surface.text.len() <= 64 << 10, "{place}");
}

/// Reads choices from bytes; when they are used up, every choice is the first.
#[derive(Debug)]
pub struct Dice<'a>(&'a [u8]);

impl<'a> Dice<'a> {
    /// Takes the bytes to read.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn roll(&mut self, sides: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % sides
    }

    fn pick<T: Copy>(&mut self, choices: &[T], otherwise: T) -> T {
        choices.get(self.roll(choices.len())).copied().unwrap_or(otherwise)
    }

    fn word(&mut self) -> &'static str {
        self.pick(&WORDS, "a")
    }
}

/// Returns bytes that look random (xorshift), always the same for a seed, which moves on.
#[must_use]
pub fn noise(seed: &mut u64, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len);
    for _ in 0..len {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        out.push(seed.to_be_bytes()[0]);
    }
    out
}

/// Returns a listing of up to four tools, most of them nearly right.
#[must_use]
pub fn any_listing(dice: &mut Dice<'_>) -> Value {
    let count = 1 + dice.roll(4);
    Value::Array((0..count).map(|at| any_tool(dice, at)).collect())
}

fn any_tool(dice: &mut Dice<'_>, at: usize) -> Value {
    if dice.roll(10) == 9 {
        return any_value(dice, 3);
    }
    let mut members = vec![
        ("name".to_owned(), Value::String(format!("{}{at}", dice.word()))),
        ("inputSchema".to_owned(), any_schema(dice, 4)),
        ("description".to_owned(), any_value(dice, 0)),
    ];
    if dice.roll(2) == 1 {
        members.push(("outputSchema".to_owned(), any_schema(dice, 4)));
    }
    Value::Object(members)
}

/// Returns a listing with the habits of real ones: mostly scalars, some enumerations, some nesting.
#[must_use]
pub fn habitual_listing(tools: usize) -> String {
    let mut out = String::from("{\"tools\":[");
    for at in 0..tools {
        let comma = if at > 0 { "," } else { "" };
        // Writing to a `String` never fails.
        let _ = write!(
            out,
            r#"{comma}{{"name":"resource_{at}_update","description":"Update resource {at} of the workspace. Members that are left out keep their values, and the answer holds the resource as it is afterwards.","inputSchema":{{"type":"object","properties":{{"owner":{{"type":"string","description":"The account that owns the resource"}},"repo":{{"type":"string","description":"The name of the resource, without its owner"}},"issue_number":{{"type":"number","description":"The number by which it is known"}},"state":{{"type":"string","enum":["open","closed","all"],"description":"The state that it goes to"}},"labels":{{"type":"array","items":{{"type":"string"}},"description":"Labels, which replace the ones that are set"}},"assignee":{{"anyOf":[{{"type":"string"}},{{"type":"null"}}],"default":null,"description":"Who works on it; null for nobody"}},"page":{{"type":"integer","minimum":1,"default":1,"description":"Which page"}},"perPage":{{"type":"number","minimum":1,"maximum":100}},"body":{{"type":"object","properties":{{"text":{{"type":"string"}},"format":{{"type":"string","enum":["plain","rich"]}}}},"required":["text"]}}}},"required":["owner","repo","issue_number"],"additionalProperties":false}},"annotations":{{"title":"Update","readOnlyHint":false}}}}"#
        );
    }
    out.push_str("]}");
    out
}

/// Returns any JSON value that nests up to so many levels.
#[must_use]
pub fn any_value(dice: &mut Dice<'_>, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 5 } else { 10 }) {
        0 => Value::Null,
        1 => Value::Bool(dice.roll(2) == 0),
        2 => Value::Number(dice.pick(&["0", "-1", "1.5", "1e400", "9007199254740993", "-0.0"], "0").into()),
        3 | 4 => Value::String(dice.word().to_owned()),
        5 => Value::Array((0..dice.roll(4)).map(|_| any_value(dice, depth - 1)).collect()),
        _ => Value::Object(
            (0..dice.roll(6)).map(|_| (dice.word().to_owned(), any_value(dice, depth - 1))).collect(),
        ),
    }
}

fn any_schema(dice: &mut Dice<'_>, depth: usize) -> Value {
    if depth == 0 || dice.roll(12) == 0 {
        return any_value(dice, depth.min(2));
    }
    let text = |text: &str| Value::String(text.into());
    let named = |dice: &mut Dice<'_>| {
        let count = dice.roll(4);
        Value::Object((0..count).map(|_| (dice.word().to_owned(), any_schema(dice, depth - 1))).collect())
    };
    let listed =
        |dice: &mut Dice<'_>| Value::Array((0..=dice.roll(3)).map(|_| any_schema(dice, depth - 1)).collect());
    let mut members = Vec::new();
    for _ in 0..=dice.roll(3) {
        let member = match dice.roll(14) {
            0..=2 => ("type", text(dice.pick(&TYPES, "object"))),
            3 | 4 => ("properties", named(dice)),
            5 => ("required", Value::Array((0..dice.roll(3)).map(|_| text(dice.word())).collect())),
            6 => ("items", any_schema(dice, depth - 1)),
            7 => (dice.pick(&["anyOf", "oneOf", "allOf", "prefixItems"], "anyOf"), listed(dice)),
            8 => ("$ref", text(dice.pick(&["#/$defs/a", "#/$defs/b", "#", "#/properties/a", "x"], "#"))),
            9 => ("$defs", named(dice)),
            10 => ("enum", Value::Array((0..dice.roll(4)).map(|_| any_value(dice, 0)).collect())),
            11 => ("const", any_value(dice, 1)),
            12 => ("additionalProperties", any_schema(dice, depth - 1)),
            _ => ("description", text(dice.word())),
        };
        members.push((member.0.to_owned(), member.1));
    }
    if depth > 3 {
        members.push(("type".into(), text("object")));
    }
    Value::Object(members)
}

const WORDS: [&str; 48] = [
    "type",
    "object",
    "string",
    "integer",
    "number",
    "boolean",
    "null",
    "array",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "#/$defs/a",
    "#",
    "#/properties/a",
    "$defs",
    "a",
    "b",
    "additionalProperties",
    "prefixItems",
    "nullable",
    "description",
    "default",
    "patternProperties",
    "name",
    "inputSchema",
    "outputSchema",
    "*/ x",
    "\"\"\" \\",
    "\u{202E}@external(",
    "a\nimport os\n",
    "then",
    "__proto__",
    "class",
    "fn",
    "",
    "名前",
    "a-b",
    "a_b",
    "self",
    "\u{0}",
    "https://x/y",
    "</script>",
];

const TYPES: [&str; 7] = ["object", "string", "integer", "number", "boolean", "null", "array"];
