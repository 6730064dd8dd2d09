import { Tools } from "./results.js";
import {
  type Answer,
  Denied,
  type Fault,
  type JsonObject,
  ResultMalformed,
  ResultSchemaMismatch,
  ServerUnavailable,
  ToolFailed,
  type ToolResult,
} from "./selvedge.js";

declare const console: { log(line: string): void };

const text = (text: string) => ({ type: "text", text });
const badly = { structured: { n: "x" }, mismatch: { path: "/n", reason: "expected a whole number" } };
const recorded: (Answer | Fault)[] = [
  { content: [] },
  { content: [text("x".repeat(17 << 20))] },
  { content: [text("broken")], isError: true, ...badly },
  { content: [text('{"n":1}')] },
  { content: [], structured: { n: 1 } },
  { content: [text('{"n":2}')], structured: { n: 1 } },
  { content: [text("a"), { type: "image", data: "", mimeType: "image/png" }, text("b")], structured: { n: 1 } },
  { content: [text("kept")], ...badly },
  {} as Answer,
  { content: [text("x")], structured: { result: "x" } },
  { content: [text("x")] },
  { code: "-32602", message: "unknown tool" },
  { code: "mcp_unavailable", message: "the server has left" },
];

function sorted(args: JsonObject): string {
  return JSON.stringify(Object.fromEntries(Object.keys(args).sort().map((key) => [key, args[key]])));
}

const tools = new Tools(async (_server, tool, args) => {
  console.log(`${tool} ${sorted(args)}`);
  return recorded.shift() as Answer | Fault;
});

async function outcome<T>(call: () => Promise<ToolResult<T>>, show: (result: ToolResult<T>) => string): Promise<void> {
  try {
    console.log(show(await call()));
  } catch (error) {
    console.log(explained(error));
  }
}

function explained(error: unknown): string {
  if (error instanceof ToolFailed) return `failed: ${error.message}`;
  if (error instanceof ServerUnavailable) return `unavailable: ${error.message}`;
  if (error instanceof Denied) return `denied ${error.code}: ${error.message}`;
  if (error instanceof ResultMalformed) return `malformed: ${error.message}`;
  if (!(error instanceof ResultSchemaMismatch)) throw error;
  const reason = error.message.slice(error.message.indexOf(": ") + 2);
  return `mismatch at ${error.path || "the root"}: ${reason}, text ${error.result.text}`;
}

function sizes(result: ToolResult<unknown>): string {
  const structured = result.structured === undefined ? "none" : JSON.stringify(result.structured);
  return `content ${result.content.length}, structured ${structured}, text ${result.text.length}`;
}

await outcome(() => tools.say_it_92410966({ n: 42.0 }), sizes);
await outcome(() => tools.say_it_92410966({ n: 0.5, i: 3, text: "x" }), sizes);
await outcome(() => tools.say_it_92410966({ n: Infinity }), sizes);
await outcome(() => tools.count(), sizes);
await outcome(() => tools.count(), sizes);
await outcome(() => tools.count(), sizes);
await outcome(() => tools.count(), sizes);
await outcome(
  () => tools.count(),
  ({ content, text }) => {
    const kinds = content.map((part) => (part.kind === "text" ? part.kind : part.type));
    return `content ${kinds.join(",")}; text ${text.replace("\n", "|")}`;
  },
);
await outcome(() => tools.count(), sizes);
await outcome(() => tools.count(), sizes);
await outcome(() => tools.wrapped(), (result) => `wrapped ${result.structured.result}`);
await outcome(() => tools.wrapped(), (result) => `wrapped ${result.structured.result}`);
await outcome(() => tools.say_it_92410966({ n: 1 }), sizes);
await outcome(() => tools.say_it_92410966({ n: 1 }), sizes);
