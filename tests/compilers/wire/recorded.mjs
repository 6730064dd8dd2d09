export const answers = [
  { content: [{ type: "text", text: "done" }], structured: { id: 7, at: null } },
  { content: [], structured: { id: "x" } },
  { content: [{ type: "text", text: "broken" }], is_error: true },
];

export const heading = (server, tool) => `${server}\t${tool}\t`;
export const greeting = () => 'é"\n';
export function say(line) {
  console.log(line);
  return line;
}
