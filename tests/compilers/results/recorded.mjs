const text = (text) => ({ type: "text", text });
const count = { structured: { n: 1 } };

export const answers = [
  { content: [] },
  { content: [text("x".repeat(17 << 20))] },
  { content: [text("broken")], is_error: true, structured: { n: "x" } },
  { content: [text('{"n":1}')] },
  { content: [], ...count },
  { content: [text('{"n":2}')], ...count },
  { content: [text("a"), { type: "image", data: "", mimeType: "image/png" }, text("b")], ...count },
  { content: [text("kept")], structured: { n: "x" } },
  {},
  { content: [text("x")], structured: { result: "x" } },
  { content: [text("x")] },
  { code: "-32602", message: "unknown tool" },
  { code: "mcp_unavailable", message: "the server has left" },
];

export const heading = (_server, tool) => `${tool} `;
export const infinity = () => Infinity;
export const size = (text) => String(text.length);
export const number = (value) => String(value);
export const folded = (text) => text.replace("\n", "|");
export function say(line) {
  console.log(line);
  return line;
}
