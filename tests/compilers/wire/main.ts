import { Tools } from "./wire.js";
import { type Answer, type Json, ResultSchemaMismatch, ToolFailed } from "./selvedge.js";

declare const console: { log(line: string): void };

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key] as Json)]));
}

const answers: Answer[] = [
  { content: [{ type: "text", text: "done" }], structured: { id: 7, at: null } },
  { content: [], structured: { id: "x" }, mismatch: { path: "/id", reason: "expected a whole number" } },
  { content: [{ type: "text", text: "broken" }], isError: true, structured: { id: "x" } },
];

const tools = new Tools(async (server, tool, args) => {
  console.log(`${server}\t${tool}\t${JSON.stringify(sorted(args))}`);
  return answers.shift() as Answer;
});

const reply = await tools.send_it_1e52c219({ to: 'é"\n', Kind: "a b", note: null, "x-y": 42, where: { page: 1, "@at": "x" } });
const id: number = reply.structured.id;
console.log(`reply ${id} ${reply.structured.at} ${reply.text}`);
try {
  await tools.send_it_1e52c219({ to: "x", Kind: "c", note: undefined });
} catch (error) {
  console.log(error instanceof ResultSchemaMismatch && error.path === "/id" ? "mismatch" : String(error));
}
try {
  await tools.then_21af6f12();
} catch (error) {
  console.log(error instanceof ToolFailed ? `failed ${error.message}` : String(error));
}
