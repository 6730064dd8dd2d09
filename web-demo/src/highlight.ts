// Colours for the code that the generator writes, and for JSON. One pass, one expression per language.

export type Syntax = "typescript" | "python" | "rust" | "gleam" | "json";

const CLASSES = ["t-comment", "t-string", "t-keyword", "t-number", "t-type", "t-call"] as const;

/** The end of the text; `$` is the end of a line here. */
const END = "(?![^])";
const STRING = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
const NUMBER = String.raw`\b\d[\w.]*`;
const TYPE = String.raw`\b[A-Z]\w*`;
const CALL = String.raw`[A-Za-z_$][\w$]*(?=\()`;

const SYNTAXES: Record<Syntax, RegExp> = {
  typescript: syntax(
    String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|${END})|^###[^\n]*`,
    String.raw`${STRING}|\x60(?:[^\x60\\]|\\[^])*\x60?`,
    words("import export class readonly constructor return type interface const extends private async await new this from function if throw"),
    TYPE + "|" + words("string number boolean unknown null undefined void never true false"),
  ),
  python: syntax(
    String.raw`#[^\n]*`,
    String.raw`"""(?:[^\\]|\\[^])*?(?:"""|${END})|${STRING}`,
    words("import from class def return async await self if else not in is pass raise None True False for and or lambda"),
    TYPE + "|" + words("str int float bool dict list object tuple"),
  ),
  rust: syntax(
    String.raw`\/\/[^\n]*|#!?\[[^\]\n]*\]|^###[^\n]*`,
    String.raw`${STRING}|r#"[^]*?(?:"#|${END})`,
    words("pub fn struct enum impl use mod let mut match return async await self Self crate super where for in if else ref type const move dyn as"),
    TYPE + "|" + words("str bool i64 u64 f64 i128"),
  ),
  gleam: syntax(
    String.raw`\/\/[^\n]*|^###[^\n]*`,
    STRING,
    words("import pub fn type case let use as const opaque"),
    TYPE,
  ),
  json: syntax(String.raw`$^`, String.raw`"(?:[^"\\]|\\[^])*"(?!\s*:)`, words("true false null"), String.raw`"(?:[^"\\]|\\[^])*"(?=\s*:)`),
};

function words(list: string): string {
  return String.raw`\b(?:${list.replaceAll(" ", "|")})\b`;
}

function syntax(comment: string, string: string, keyword: string, type: string): RegExp {
  return new RegExp([comment, string, keyword, NUMBER, type, CALL].map((part) => `(${part})`).join("|"), "gm");
}

export interface Piece {
  text: string;
  class?: string;
}

/** Cuts code into pieces, in order and complete. */
export function* pieces(code: string, language: Syntax): Generator<Piece> {
  const expression = new RegExp(SYNTAXES[language]);
  let at = 0;
  for (let match = expression.exec(code); match; match = expression.exec(code)) {
    if (match[0] === "") {
      expression.lastIndex += 1;
      continue;
    }
    if (match.index > at) yield { text: code.slice(at, match.index) };
    const group = CLASSES.findIndex((_, index) => match?.[index + 1] !== undefined);
    const name = CLASSES[group];
    yield name ? { text: match[0], class: name } : { text: match[0] };
    at = match.index + match[0].length;
  }
  if (at < code.length) yield { text: code.slice(at) };
}
