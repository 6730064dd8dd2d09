//! `key=value` on the command line, read as the tool's schema says.

use std::io::{self, IsTerminal, Read as _};

use selvedge::core::json::{Kind, RawJson, View, push_string};

use super::{Failure, args::Command, text};

/// How many references and alternatives are followed for one argument: a schema may refer to itself.
const MAX_SCHEMA_STEPS: usize = 64;

/// One argument as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    /// `key:=JSON`: the value is JSON, whatever the schema says.
    is_json: bool,
}

/// What was given for a call.
#[derive(Debug)]
pub(super) enum Given<'a> {
    /// One argument a word; none for commands that take none.
    Pairs(Vec<Pair<'a>>),
    /// The text of a JSON object.
    Whole(String),
}

/// Takes the arguments from the command line, or from standard input where it says so.
pub(super) fn given(command: &Command) -> Result<Given<'_>, Failure> {
    match command {
        Command::Call(call) => {
            let is_dash = matches!(call.pairs.as_slice(), [only] if only == "-");
            match call.args.as_deref().or(is_dash.then_some("-")) {
                Some("-") => whole(&read_input()?).map(Given::Whole),
                Some(json) => whole(json).map(Given::Whole),
                None => pairs(&call.pairs).map(Given::Pairs),
            }
        }
        Command::Prompt(prompt) => pairs(&prompt.pairs).map(Given::Pairs),
        _ => Ok(Given::Pairs(Vec::new())),
    }
}

fn read_input() -> Result<String, Failure> {
    if io::stdin().is_terminal() {
        anstream::eprintln!("reading the arguments from the terminal: a JSON object, then Ctrl-D");
    }
    let mut json = String::new();
    io::stdin().read_to_string(&mut json).map_err(|error| Failure::file("standard input", &error))?;
    Ok(json)
}

/// Takes the arguments apart.
fn pairs(words: &[String]) -> Result<Vec<Pair<'_>>, Failure> {
    let mut pairs: Vec<Pair<'_>> = Vec::with_capacity(words.len());
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(Failure::usage(format!("`{word}` is not `key=value`"))
                .hint("the server's own command stands behind `--`"));
        };
        let (key, is_json) = key.strip_suffix(':').map_or((key, false), |key| (key, true));
        if pairs.iter().any(|pair| pair.key == key) {
            return Err(Failure::usage(format!("`{key}` is given twice")));
        }
        pairs.push(Pair { key, value, is_json });
    }
    Ok(pairs)
}

/// Writes the arguments of a tool as one JSON object.
pub(super) fn typed(pairs: &[Pair<'_>], schema: Option<View<'_>>) -> Result<String, Failure> {
    let members = pairs.iter().map(|pair| {
        let expected = match schema {
            Some(root) => expected(root, pair.key)?,
            None => Kinds::default(),
        };
        Ok((pair.key, value(pair, expected)?))
    });
    Ok(object(members.collect::<Result<Vec<_>, Failure>>()?))
}

/// Writes arguments that are all text as one JSON object.
pub(super) fn textual(pairs: &[Pair<'_>]) -> String {
    object(pairs.iter().map(|pair| (pair.key, string(pair.value))))
}

/// Fails at the first key that is none of the known ones.
pub(super) fn check_known(pairs: &[Pair<'_>], known: &[&str]) -> Result<(), Failure> {
    pairs.iter().find(|pair| !known.contains(&pair.key)).map_or(Ok(()), |pair| Err(unknown(pair.key, known)))
}

/// Returns the arguments that a schema demands and nobody gave.
pub(super) fn missing(pairs: &[Pair<'_>], schema: View<'_>) -> Vec<String> {
    let required = schema.get("required").into_iter().flat_map(View::elements).filter_map(View::to_text);
    required.filter(|name| pairs.iter().all(|pair| pair.key != name)).collect()
}

/// Returns what a schema shows of its arguments: `a=number [b=string]`, the demanded ones first.
pub(super) fn signature(schema: View<'_>) -> String {
    let required: Vec<_> =
        schema.get("required").into_iter().flat_map(View::elements).filter_map(View::to_text).collect();
    let mut demanded = Vec::new();
    let mut optional = Vec::new();
    for (name, property) in schema.get("properties").into_iter().flat_map(View::members) {
        let name = name.to_str();
        let kinds = Kinds::of(property, schema).names();
        let shown = text::one_line(&format!("{name}={kinds}"));
        if required.iter().any(|own| *own == name) {
            demanded.push(shown);
        } else {
            optional.push(format!("[{shown}]"));
        }
    }
    demanded.append(&mut optional);
    demanded.join(" ")
}

fn unknown(key: &str, known: &[&str]) -> Failure {
    let failure = Failure::usage(format!("there is no argument `{key}`"));
    match text::closest(key, known.iter().copied()) {
        Some(name) => failure.hint(format!("did you mean `{name}`?")),
        None if known.is_empty() => failure.hint("it takes none"),
        None => failure.hint(format!("it takes: {}", known.join(", "))),
    }
}

/// Returns what a schema expects of one argument.
fn expected(root: View<'_>, key: &str) -> Result<Kinds, Failure> {
    let properties = root.get("properties");
    if let Some(property) = properties.and_then(|properties| properties.get(key)) {
        return Ok(Kinds::of(property, root));
    }
    let is_open = root.get("additionalProperties").is_some_and(|more| more.as_bool() != Some(false))
        || ["patternProperties", "allOf", "anyOf", "oneOf", "$ref"]
            .iter()
            .any(|word| root.get(word).is_some())
        || properties.is_none() && root.get("additionalProperties").is_none();
    if is_open {
        return Ok(Kinds::default());
    }
    let known: Vec<_> =
        properties.into_iter().flat_map(View::members).map(|(name, _)| name.to_str()).collect();
    let known: Vec<&str> = known.iter().map(|name| &**name).collect();
    Err(unknown(key, &known))
}

/// The kinds of values that a schema lets through; none at all where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds(u8);

impl Kinds {
    /// The names that schemas have for kinds, and how people are told of them.
    const NAMES: [(&'static str, &'static str, u8); 7] = [
        ("string", "a string", 1),
        ("number", "a number", 2),
        ("integer", "an integer", 4),
        ("boolean", "true or false", 8),
        ("array", "a JSON array", 16),
        ("object", "a JSON object", 32),
        ("null", "null", 64),
    ];
    const STRING: Self = Self(1);

    fn of(schema: View<'_>, root: View<'_>) -> Self {
        let mut kinds = Self::default();
        kinds.read(schema, root, &mut { MAX_SCHEMA_STEPS });
        kinds
    }

    fn read(&mut self, schema: View<'_>, root: View<'_>, steps: &mut usize) {
        let Some(rest) = steps.checked_sub(1) else { return };
        *steps = rest;
        let named = schema.get("type");
        for name in named.into_iter().chain(named.into_iter().flat_map(View::elements)) {
            self.0 |= name.to_str().map_or(0, |name| Self::bit(&name));
        }
        if self.0 != 0 {
            return;
        }
        let constant = schema.get("const").into_iter();
        for value in constant.chain(schema.get("enum").into_iter().flat_map(View::elements)) {
            self.0 |= Self::bit(value.kind().name());
        }
        if let Some(target) = schema.get("$ref").and_then(|path| resolve(root, path)) {
            self.read(target, root, steps);
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            for part in schema.get(word).into_iter().flat_map(View::elements) {
                let mut kinds = Self::default();
                kinds.read(part, root, steps);
                self.0 |= kinds.0;
            }
        }
    }

    fn bit(name: &str) -> u8 {
        Self::NAMES.iter().find(|(own, ..)| *own == name).map_or(0, |(.., bit)| *bit)
    }

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether a value is of one of the kinds.
    fn take(self, value: View<'_>) -> bool {
        let whole = value.as_number().is_some_and(|number| {
            !number.contains(['.', 'e', 'E'])
                || number.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
        });
        self.has(Self(Self::bit(value.kind().name()))) || whole && self.has(Self(Self::bit("integer")))
    }

    /// Returns the names of the kinds as a signature shows them.
    fn names(self) -> String {
        let own = Self::NAMES.iter().filter(|(.., bit)| self.0 & bit != 0);
        let names: Vec<_> = own.map(|(name, ..)| *name).collect();
        if names.is_empty() { "any".to_owned() } else { names.join("|") }
    }

    fn description(self) -> String {
        let own = Self::NAMES.iter().filter(|(.., bit)| self.0 & bit != 0);
        own.map(|(_, description, _)| *description).collect::<Vec<_>>().join(" or ")
    }
}

/// Finds what a reference within a schema points at.
fn resolve<'a>(root: View<'a>, path: View<'_>) -> Option<View<'a>> {
    let path = path.to_str()?;
    let mut at = root;
    for step in path.strip_prefix('#')?.split('/').skip(1) {
        at = at.get(&step.replace("~1", "/").replace("~0", "~"))?;
    }
    Some(at)
}

fn value(pair: &Pair<'_>, expected: Kinds) -> Result<String, Failure> {
    let Pair { key, value, is_json } = *pair;
    let json = View::new(value);
    if is_json {
        return match json {
            Ok(view) => Ok(view.as_str().to_owned()),
            Err(error) => Err(Failure::usage(format!("`{key}:=` wants JSON: {error}"))),
        };
    }
    match json {
        Ok(view) if expected == Kinds::default() => Ok(view.as_str().to_owned()),
        Ok(view) if view.kind() != Kind::String && expected.take(view) => Ok(view.as_str().to_owned()),
        _ if expected == Kinds::default() || expected.has(Kinds::STRING) => Ok(string(value)),
        Ok(view) if expected.take(view) => Ok(view.as_str().to_owned()),
        _ => {
            let example = match expected.names().as_str() {
                "array" => format!(", such as {key}='[\"x\"]'"),
                "object" => format!(", such as {key}='{{\"x\": 1}}'"),
                _ => String::new(),
            };
            let expected = expected.description();
            Err(Failure::usage(format!("`{key}` must be {expected}, not `{value}`{example}")))
        }
    }
}

fn string(content: &str) -> String {
    let mut json = String::with_capacity(content.len() + 2);
    push_string(&mut json, content);
    json
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut json = String::from("{");
    for (key, value) in members {
        if json.len() > 1 {
            json.push(',');
        }
        push_string(&mut json, key);
        json.push(':');
        json.push_str(&value);
    }
    json.push('}');
    json
}

/// Reads arguments that were given as one JSON text.
fn whole(json: &str) -> Result<String, Failure> {
    match RawJson::new(json) {
        Ok(raw) if raw.view().kind() == Kind::Object => Ok(raw.into_string()),
        Ok(raw) => Err(Failure::usage(format!(
            "the arguments must be a JSON object, not {}",
            raw.view().kind().name()
        ))),
        Err(error) => Err(Failure::usage(format!("the arguments are not JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{
        "properties": {
            "text": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"},
            "on": {"type": "boolean"}, "list": {"type": "array"}, "map": {"type": "object"},
            "maybe": {"type": ["integer", "null"]}, "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "level": {"enum": ["1", "2"]}, "ref": {"$ref": "#/$defs/flag"}, "any": {}
        },
        "required": ["n", "text"],
        "$defs": {"flag": {"type": "boolean"}}
    }"##;

    fn read(words: &[&str]) -> Result<String, String> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let schema = View::new(SCHEMA).unwrap();
        pairs(&words).and_then(|pairs| typed(&pairs, Some(schema))).map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn the_schema_says_what_a_value_means() {
        for (word, member) in [
            ("text=42", r#""text":"42""#),
            ("text=", r#""text":"""#),
            ("text=a=b", r#""text":"a=b""#),
            ("text=\"x\"", r#""text":"\"x\"""#),
            ("n=1.50", r#""n":1.50"#),
            ("i=1.0", r#""i":1.0"#),
            ("i=-3", r#""i":-3"#),
            ("on=true", r#""on":true"#),
            ("list=[1, 2]", r#""list":[1, 2]"#),
            ("map={\"a\":1}", r#""map":{"a":1}"#),
            ("maybe=null", r#""maybe":null"#),
            ("maybe=7", r#""maybe":7"#),
            ("either=7", r#""either":7"#),
            ("either=seven", r#""either":"seven""#),
            ("either=true", r#""either":"true""#),
            ("level=1", r#""level":"1""#),
            ("ref=false", r#""ref":false"#),
            ("any=1", r#""any":1"#),
            ("any=one", r#""any":"one""#),
            ("text:=42", r#""text":42"#),
        ] {
            assert_eq!(read(&[word]), Ok(format!("{{{member}}}")), "{word}");
        }
        assert_eq!(read(&["n=1", "text=2"]), Ok(r#"{"n":1,"text":"2"}"#.to_owned()));
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_says_what_would() {
        for (word, part) in [
            ("n=x", "`n` must be a number, not `x`"),
            ("n=\"1\"", "a number"),
            ("i=1.5", "an integer"),
            ("on=yes", "true or false"),
            ("list=a", "such as list="),
            ("maybe=x", "an integer or null"),
            ("texts=1", "did you mean `text`?"),
            ("whatever=1", "it takes: text, n, i"),
            ("map:={", "wants JSON"),
            ("word", "is not `key=value`"),
        ] {
            let error = read(&[word]).unwrap_err();
            assert!(error.contains(part), "{word}: {error}");
        }
        assert!(read(&["n=1", "n:=2"]).unwrap_err().contains("given twice"));
    }

    #[test]
    fn a_signature_shows_the_demanded_arguments_first() {
        let shown = signature(View::new(SCHEMA).unwrap());
        assert!(shown.starts_with("text=string n=number [i=integer] [on=boolean]"), "{shown}");
        assert!(shown.contains("[maybe=integer|null]") && shown.ends_with("[any=any]"), "{shown}");
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = View::new(r##"{"properties":{"a":{"$ref":"#/properties/a"}}}"##).unwrap();
        assert_eq!(signature(schema), "[a=any]");
    }
}
