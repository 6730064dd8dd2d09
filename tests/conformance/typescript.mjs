// One session of an official TypeScript client: `typescript.mjs MODULES LIBRARY ERA URL`, or a command behind
// `--` for a server on a pipe. LIBRARY is `sdk` (1.x) or `client` (2.x), ERA is `legacy` or `modern`.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, library, era, ...target] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(modules, "@modelcontextprotocol", path)));
const isOld = library === "sdk";

const { Client, StreamableHTTPClientTransport, StdioClientTransport, schemas } = isOld
  ? {
      ...(await load("sdk/dist/esm/client/index.js")),
      ...(await load("sdk/dist/esm/client/streamableHttp.js")),
      ...(await load("sdk/dist/esm/client/stdio.js")),
      schemas: await load("sdk/dist/esm/types.js"),
    }
  : { ...(await load("client/dist/index.mjs")), ...(await load("client/dist/stdio.mjs")) };

const client = new Client(
  { name: "peer", version: "1" },
  {
    capabilities: { sampling: {}, elicitation: {}, roots: {} },
    ...(isOld ? {} : { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } }),
  },
);
const answer = (method, schema, handler) => client.setRequestHandler(isOld ? schemas[schema] : method, handler);
answer("sampling/createMessage", "CreateMessageRequestSchema", async (request) => ({
  role: "assistant",
  model: "peer",
  content: { type: "text", text: `heard ${request.params.messages[0].content.text}` },
}));
answer("elicitation/create", "ElicitRequestSchema", async () => ({
  action: "accept",
  content: { username: "ada", email: "ada@example.com" },
}));
answer("roots/list", "ListRootsRequestSchema", async () => ({ roots: [{ uri: "file:///project", name: "project" }] }));

const transport =
  target[0] === "--"
    ? new StdioClientTransport({ command: target[1], args: target.slice(2) })
    : new StreamableHTTPClientTransport(new URL(target[0]));
await client.connect(transport);

const call = (name, args = {}, options = {}) =>
  isOld
    ? client.callTool({ name, arguments: args }, undefined, options)
    : client.callTool({ name, arguments: args }, options);
const text = (result) => result.content[0].text;

const { tools } = await client.listTools();
assert(tools.some((tool) => tool.name === "test_sum"));
assert.deepEqual((await call("test_sum", { a: 2, b: 40 })).structuredContent, { sum: 42 });
assert.equal((await call("test_error_handling")).isError, true);

const reports = [];
await call("test_tool_with_progress", {}, { onprogress: (report) => reports.push(report.progress) });
assert.deepEqual(reports, [0, 50, 100]);

assert.equal(text(await call("test_sampling", { prompt: "ping" })), "LLM response: heard ping");
assert.match(text(await call("test_elicitation", { message: "who?" })), /action=accept.*ada@example\.com/);
assert.match(text(await call("test_input_required_result_list_roots")), /file:\/\/\/project/);

const before = Number(text(await call("test_dropped")));
const stop = new AbortController();
await assert.rejects(
  call("test_wait", {}, { signal: stop.signal, onprogress: () => stop.abort("enough") }),
);
// The server hears of it by and by.
while (Number(text(await call("test_dropped"))) === before);

const read = await client.readResource({ uri: "test://static-text" });
assert.equal(read.contents[0].text, "This is the content of the static text resource.");
const prompt = await client.getPrompt({
  name: "test_prompt_with_arguments",
  arguments: { arg1: "a", arg2: "b" },
});
assert.equal(prompt.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'");
await assert.rejects(client.readResource({ uri: "test://nothing" }));
await client.close();
console.log("done");
