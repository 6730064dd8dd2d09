// Finds the place in a text that the engine names by line and column.

/** How much of a line is shown on either side of the place, in characters. */
const AROUND = 48;

export interface Place {
  /** Both from 1; columns are characters. */
  line: number;
  column: number;
  /** The index in the text, and where the character there ends. */
  at: number;
  end: number;
  /** The line around the place, and how many characters of that are before it. */
  excerpt: string;
  before: number;
}

export function locate(text: string, line: number, column: number): Place {
  const start = lineStart(text, line);
  const stop = text.indexOf("\n", start) < 0 ? text.length : text.indexOf("\n", start);
  let at = start;
  for (let passed = 1; passed < column && at < stop; passed += 1) at += width(text, at);
  // Characters are one or two units long.
  const before = [...text.slice(Math.max(start, at - 2 * AROUND), at)].slice(-AROUND);
  const after = [...text.slice(at, Math.min(stop, at + 2 * AROUND))].slice(0, AROUND);
  const cut = before.join("").length < at - start ? "…" : "";
  return {
    line,
    column,
    at,
    end: Math.min(text.length, at + width(text, at)),
    excerpt: `${cut}${[...before, ...after].join("")}`.replaceAll("\t", " "),
    before: before.length + cut.length,
  };
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let passed = 1; passed < line; passed += 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) break;
    at = end + 1;
  }
  return at;
}

function width(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
