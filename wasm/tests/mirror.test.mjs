// The engine in JavaScript as the core is in Rust: the same effects, the same modules, exact numbers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client, Server, Validator, detail, generate, plan, surface, toJson, toMsgpack, validate } from "selvedge";
import { Client as ClientAlone } from "selvedge/client";
import { root } from "./support.mjs";

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder().decode(bytes);

function drain(endpoint) {
  const effects = [];
  for (let effect = endpoint.pollEffect(); effect; effect = endpoint.pollEffect()) effects.push(effect);
  return effects;
}

/** A client and a server on one wire; returns what both told their applications. */
function wire(client, server, now) {
  const told = [];
  for (let busy = true; busy; ) {
    busy = false;
    for (const [from, to, name] of [[client, server, "client"], [server, client, "server"]]) {
      for (const effect of drain(from)) {
        busy = true;
        if (effect.kind === "send") to.handleBytes(now, effect.bytes);
        else if (effect.kind === "event") told.push([name, effect.event]);
        else if (effect.kind === "open") client.handleOpened(now);
      }
    }
  }
  return told;
}

const tool = '{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}}}}';

function pair(config) {
  const client = new Client(config);
  const server = new Server({ tools: [tool], implementation: { name: "calc", version: "1" } });
  client.connect(0);
  const told = wire(client, server, 0);
  return { client, server, told };
}

test("a client and a server meet, list, call, report and answer", () => {
  const { client, server, told } = pair({ implementation: { name: "page", version: "2" } });
  assert.deepEqual(told.map(([who, event]) => [who, event.kind]), [["server", "initialized"], ["client", "ready"]]);
  assert.equal(told[0][1].client.name, "page");
  assert.equal(client.state(), "ready");
  assert.equal(client.handshake().server.name, "calc");

  const listing = client.listTools(1);
  const [[, settled]] = wire(client, server, 1);
  assert.deepEqual([settled.call, settled.outcome.answer.listing.items[0].raw], [listing, tool]);

  const call = client.callTool(2, "add", '{"a": 12345678901234567890}', { progress: true });
  const [[, called]] = wire(client, server, 2);
  assert.equal(called.request.arguments, '{"a": 12345678901234567890}');
  server.reportProgress(3, called.call, 1, 4, "counting");
  const [[, progressed]] = wire(client, server, 3);
  assert.deepEqual(progressed, {
    kind: "progressed",
    call,
    progress: { progress: "1", total: "4", message: "counting", share: 0.25 },
  });
  const result = '{"content":[],"structuredContent":{"sum":12345678901234567890.10}}';
  server.answer(4, called.call, { result });
  const [[, answered]] = wire(client, server, 4);
  assert.deepEqual(answered.outcome, { ok: true, answer: { kind: "called", result: { isError: false, raw: result } } });
  assert.throws(() => server.answer(4, called.call, { result }), { code: "unknownAsk" });
});

test("a cancelled call settles at once and the server is told", () => {
  const { client, server } = pair();
  const call = client.callTool(1, "add", "{}");
  const [[, called]] = wire(client, server, 1);
  client.cancel(2, call);
  client.cancel(2, call);
  client.cancel(2, 999);
  const told = wire(client, server, 2);
  assert.deepEqual(told.map(([, event]) => event.kind), ["settled", "cancelled"]);
  assert.equal(told[0][1].outcome.error.kind, "cancelled");
  assert.equal(told[1][1].call, called.call);
});

test("time is an input", () => {
  const client = new Client({ handshakeTimeout: 100 });
  client.connect(0);
  client.handleOpened(0);
  drain(client);
  assert.equal(client.pollTimeout(), 100);
  client.handleTimeout(99.9);
  assert.deepEqual(drain(client), []);
  client.handleTimeout(100);
  assert.equal(drain(client)[0].event.reason.kind, "handshakeTimedOut");
  const patient = new Client({ handshakeTimeout: Infinity });
  patient.connect(0);
  assert.ok(patient.pollTimeout() > 2 ** 53);
});

test("numbers that JavaScript cannot hold come as BigInt", () => {
  const { client, server } = pair();
  client.request(1, "x/y", "{}");
  drain(client);
  client.handleBytes(1, encode('{"jsonrpc":"2.0","id":2,"error":{"code":-9007199254740993,"message":"m","data":1e2}}\n'));
  const [{ event }] = drain(client);
  assert.equal(event.outcome.error.error.code, -9007199254740993n);
  assert.equal(event.outcome.error.error.data, "1e2");
  client.listResources(2);
  drain(client);
  const sizes = '[{"uri":"a","size":9007199254740993},{"uri":"b","size":9007199254740991}]';
  client.handleBytes(2, encode(`{"jsonrpc":"2.0","id":3,"result":{"resources":${sizes}}}\n`));
  const listed = drain(client)[0].event.outcome.answer.listing.items;
  assert.deepEqual(listed.map(({ size }) => size), [9007199254740993n, 9007199254740991]);
  assert.ok(server);
});

test("a request of the server is answered once, by its number", () => {
  const client = new Client({ offers: { roots: true } });
  client.connect(0);
  client.handleOpened(0);
  drain(client);
  const hello = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}';
  client.handleBytes(0, encode(`{"jsonrpc":"2.0","id":1,"result":${hello}}\n`));
  drain(client);
  client.handleBytes(1, encode('{"jsonrpc":"2.0","id":"\\u0061","method":"roots/list"}\n'));
  const [{ event }] = drain(client);
  assert.deepEqual(event, { kind: "asked", ask: event.ask, what: "roots", params: "{}" });
  assert.throws(() => client.answerAsk(1, event.ask, { result: "[]" }), { code: "notAnObject" });
  client.answerAsk(1, event.ask, { result: '{"roots":[]}' });
  assert.equal(decode(drain(client)[0].bytes), '{"jsonrpc":"2.0","id":"\\u0061","result":{"roots":[]}}\n');
  assert.throws(() => client.answerAsk(1, event.ask, { result: "{}" }), { code: "unknownAsk" });
});

for (const era of ["legacyFirst", "2026-07-28"]) {
  test(`a server asks before it answers, ${era}`, () => {
    const client = new Client({ era, offers: { elicitation: true } });
    const server = new Server({ tools: [tool], stateKey: "5e".repeat(32) });
    client.connect(0);
    wire(client, server, 0);
    client.callTool(1, "add", "{}");
    const [[, first]] = wire(client, server, 1);
    assert.equal(first.context.answers, undefined);
    const params = '{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}';
    const questions = [{ key: "who", what: "elicitation", params }];
    assert.throws(() => server.answer(1, first.call, { input: { questions: [{ key: "who" }] } }), { code: "badOption" });
    server.answer(1, first.call, { input: { questions, state: "half" } });
    const [[, asked]] = wire(client, server, 1);
    assert.deepEqual([asked.kind, asked.what, JSON.parse(asked.params).message], ["asked", "elicitation", "Who?"]);
    client.answerAsk(2, asked.ask, { result: '{"action":"accept","content":{}}' });
    const [[, again]] = wire(client, server, 2);
    assert.deepEqual(JSON.parse(again.context.answers).who, { action: "accept", content: {} });
    assert.equal(again.context.state, "half");
    server.answer(3, again.call, { result: '{"content":[]}' });
    const [[, settled]] = wire(client, server, 3);
    assert.equal(settled.outcome.ok, true);
  });
}

test("a server says what changes, and logs", () => {
  const client = new Client();
  const server = new Server({ logs: true, changes: true, watches: true, hasResources: true, hasPrompts: true, tools: [tool] });
  client.connect(0);
  wire(client, server, 0);
  client.setLogLevel(1, "warning");
  client.subscribe(1, "a:b");
  assert.deepEqual(wire(client, server, 1).map(([, { kind }]) => kind), ["watched", "settled", "settled"]);
  server.logToAll(2, "info", '"unheard"');
  server.logToAll(2, "error", '{"n":1.0}', "main");
  server.resourceUpdated(2, "a:b");
  const told = wire(client, server, 2).map(([, event]) => event);
  assert.deepEqual(told[0], { kind: "logged", level: "error", logger: "main", data: '{"n":1.0}' });
  assert.equal(told[1].uri, "a:b");
  assert.equal(told.length, 2);
  server.setPrompts(3, ['{"name":"p"}']);
  server.setResources(3, ['{"uri":"a:b","name":"b"}']);
  server.setResourceTemplates(3, ['{"uriTemplate":"a:{x}","name":"x"}']);
  wire(client, server, 3);
  client.listPrompts(4);
  client.listResources(4);
  client.listResourceTemplates(4);
  const lists = wire(client, server, 4).map(([, event]) => event.outcome.answer.listing.items);
  assert.deepEqual(lists.map(([item]) => item.name), ["p", "b", "x"]);
  assert.throws(() => server.setPrompts(5, ["{"]), { code: "badOption" });
  assert.throws(() => server.logToAll(5, "loud", "1"), { code: "unknownLogLevel" });
  for (const stateKey of ["", "5", "5e", "+5".repeat(32), "é".repeat(32), "5e".repeat(33)]) {
    assert.throws(() => new Server({ stateKey }), { message: /64 hexadecimal digits/ }, stateKey);
  }
});

test("what an application does wrong is thrown with a code and a message", () => {
  const client = new Client();
  assert.throws(() => client.callTool(0, "t", "{}"), (error) => {
    assert.ok(error instanceof Error);
    assert.deepEqual([error.code, error.message], ["notReady", "the session is not ready: it is parked"]);
    return true;
  });
  client.connect(0);
  assert.throws(() => client.connect(0), { code: "alreadyConnected" });
  assert.throws(() => new Client({ handshakeTimout: 1 }), { code: "badOption", message: /`handshakeTimout` is not known/ });
  assert.throws(() => new Client({ limits: { maxPages: -1 } }), { code: "badOption", message: /`maxPages` must be/ });
  assert.throws(() => new Client({ tolerance: "lax" }), { message: /must be one of "tolerant", "strict"/ });
  assert.throws(() => new Client(7), { code: "badOption" });
  const circle = {};
  circle.circle = circle;
  assert.throws(() => new Client(circle), { code: "badOption" });
  assert.throws(() => pair().client.callTool(1, "add", "[1]"), { code: "notAnObject" });
  assert.throws(() => pair().client.callTool(1, "add", "{"), { code: "notJson" });
});

test("hostile bytes never throw", () => {
  let state = 1;
  const next = () => (state = (state * 48271) % 2147483647);
  const parts = ["{", "}", "\n", '"id":1', ",", '"result":{}', '{"jsonrpc":"2.0",', "\u0000", "é", "Content-Length: 3\r\n\r\n"];
  for (let run = 0; run < 200; run += 1) {
    const { client } = pair();
    client.callTool(1, "add", "{}");
    const text = Array.from({ length: 30 }, () => parts[next() % parts.length]).join("");
    client.handleBytes(1, encode(text).map((byte) => (next() % 50 === 0 ? byte ^ 255 : byte)));
    client.handleEof(2);
    client.handleExited(3, { code: 0 });
    const settled = drain(client).filter(({ event }) => event?.kind === "settled");
    assert.equal(settled.length, 1);
    client.free();
  }
});

test("modules and surfaces are those that native code generates", () => {
  const golden = (...path) => readFileSync(join(root, "tests", "goldens", "generator", ...path), "utf8");
  const listing = golden("listing.json");
  const files = { typescript: "notes.ts", python: "notes.py", rust: "notes.rs", gleam: "notes.gleam" };
  for (const [language, file] of Object.entries(files)) {
    const options = { server: "notes", language };
    assert.equal(generate(listing, options).source, golden(language, file), language);
    for (const level of ["names", "two-line", "notes", "full"]) {
      assert.equal(surface(listing, { ...options, level }).text, golden(language, `surface-${level}.txt`), language);
    }
  }
  const loom = generate(listing, { server: "notes", language: "gleam", profile: "loom" });
  assert.equal(loom.source, golden("loom", "notes.gleam"));
});

const find = `[{"name":"find","description":"Find notes.","inputSchema":{"type":"object","required":["query"],
  "properties":{"query":{"type":"string","description":"What"},"limit":{"type":["integer","null"]},"any":{}}}}]`;

test("a listing becomes a module, a surface, a detail and its losses", () => {
  const generated = generate(find, { server: "notes" });
  assert.deepEqual(generated.functions, [{ tool: "find", name: "find", hasResult: false }]);
  assert.equal(generated.path, "notes.ts");
  assert.deepEqual(generated.support.map(({ path }) => path), ["selvedge.ts"]);
  assert.match(surface(find, { level: "names" }).text, /find \/\/ Find notes\./);
  assert.equal(surface(find).level, "full");
  assert.match(detail(find, "find"), /limit\?: number \| null/);
  assert.equal(detail(find, "absent"), undefined);
  const unchecked = find.replace('"type":"string",', '"type":"string","pattern":"^a",');
  assert.ok(generate(unchecked).losses.every(({ tool, path, reason, message }) => tool && path !== null && reason && message));
});

test("text that is no listing is refused with its place", () => {
  assert.throws(() => generate('[\n  {"name": "é" x}\n]'), (error) => {
    assert.deepEqual([error.code, error.line, error.column], ["notJson", 2, 16]);
    return true;
  });
  assert.throws(() => generate("{}"), { code: "noTools", message: /neither a list of tools/ });
  assert.throws(() => generate(find, { maxSurfaceBytes: 10 }), { code: "surfaceTooLarge" });
  assert.throws(() => generate(find, { language: "cobol" }), { code: "badOption" });
});

test("the client alone checks nothing, and refuses to be asked for checks", () => {
  assert.throws(() => new ClientAlone({ checks: { arguments: true } }), { code: "badOption", message: /`selvedge` has them/ });
  const client = new ClientAlone({ checks: { arguments: false, results: false } });
  const server = new Server({ tools: [tool] });
  client.connect(0);
  wire(client, server, 0);
  client.listTools(0);
  wire(client, server, 0);
  client.callTool(0, "add", '{"a":"no number"}');
  const told = wire(client, server, 0).filter(([who]) => who === "client");
  // It is the server that refuses.
  assert.deepEqual(told.map(([, event]) => [event.kind, event.outcome.error.kind]), [["settled", "toolFailed"]]);
});

test("plans, checks and MessagePack", () => {
  assert.deepEqual(plan('{"type":"object","required":["a"],"properties":{"a":{"type":"array","items":{"type":"string"}},"b":{}}}'), {
    kind: "typed",
    required: [{ name: "a", kind: "listOf", type: "string", choices: [] }],
    optional: [{ name: "b" }],
  });
  assert.equal(plan("7").kind, "wholeValue");
  assert.deepEqual(validate('{"type":"integer"}', "3.0"), { kind: "valid" });
  const verdict = validate('{"required":["userName"]}', '{"user_name":1}');
  assert.deepEqual([verdict.kind, verdict.pointer], ["invalid", ""]);
  assert.match(verdict.hint, /did you mean `userName`/);
  const validator = new Validator('{"properties":{"a":{"pattern":"(?=x)"}}}');
  assert.equal(validator.skipped().length, 1);
  assert.equal(validator.check('{"a":"b"}').kind, "valid");
  assert.throws(() => new Validator("{"), { code: "notJson", line: 1 });
  assert.equal(toJson(toMsgpack('{"a":[1,18446744073709551615,0.1,"é",null]}')), '{"a":[1,18446744073709551615,0.1,"é",null]}');
  assert.throws(() => toMsgpack('{"a":18446744073709551616}'), { code: "integerOutOfRange", pointer: "/a" });
  assert.throws(() => toJson(new Uint8Array([0xc1])), { code: /./ });
});
