// The tools of the server in the page: what they are, how long they work, what they answer.

export const TOOLS: readonly string[] = [
  {
    name: "add",
    description: "Adds two numbers",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  },
  {
    name: "find_notes",
    description: "Finds notes by words",
    inputSchema: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: ["query"] },
  },
  { name: "report", description: "Writes a long report", inputSchema: { type: "object", properties: { steps: { type: "integer" } } } },
  {
    name: "delete_notes",
    description: "Deletes notes for good",
    inputSchema: { type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] },
    annotations: { destructiveHint: true },
  },
].map((tool) => JSON.stringify(tool));

const WORK: Record<string, number> = { add: 20, find_notes: 300, report: 3_000 };

/** How long a tool works, in milliseconds. */
export function work(name: string): number {
  return WORK[name] ?? 20;
}

export function result(name: string, given: string): string {
  return JSON.stringify({ content: [{ type: "text", text: words(name, JSON.parse(given) as Record<string, unknown>) }] });
}

function words(name: string, given: Record<string, unknown>): string {
  if (name === "add") return String(Number(given["a"]) + Number(given["b"]));
  if (name === "find_notes") return `3 notes about ${String(given["query"])}`;
  return `${name}: done`;
}
