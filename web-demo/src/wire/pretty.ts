// Lays JSON out without reading it: digits, order and doubled keys stay as they were written.

/** Indents one JSON text; what is no JSON comes back as it is. */
export function pretty(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  const parts = text.match(/"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  let out = "";
  const line = () => `\n${"  ".repeat(Math.min(depth, 40))}`;
  parts.forEach((part, index) => {
    if (part === "{" || part === "[") {
      depth += 1;
      const closes = parts[index + 1] === "}" || parts[index + 1] === "]";
      out += closes ? part : part + line();
    } else if (part === "}" || part === "]") {
      depth = Math.max(0, depth - 1);
      const opened = parts[index - 1] === "{" || parts[index - 1] === "[";
      out += opened ? part : line() + part;
    } else if (part === ",") out += part + line();
    else out += part === ":" ? ": " : part;
  });
  return out;
}
