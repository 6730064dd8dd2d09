// The engine in JavaScript as the core is in Rust: the same effects, the same modules, exact numbers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client, SelvedgeError, Server, Validator, detail, generate, plan, surface, toJson, toMsgpack, validate } from "selvedge";
import { Client as ClientAlone, SelvedgeError as ErrorOfClient } from "selvedge/client";
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
  assert.deepEqual([called.request.arguments, called.request.raw], [{ a: 12345678901234567890 }, '{"a": 12345678901234567890}']);
  assert.deepEqual(called.context.capabilities, JSON.parse(called.context.raw.capabilities));
  server.reportProgress(3, called.call, 1, 4, "counting");
  const [[, progressed]] = wire(client, server, 3);
  assert.deepEqual(progressed, {
    kind: "progressed",
    call,
    progress: { progress: 1, total: 4, message: "counting", share: 0.25, raw: { progress: "1", total: "4" } },
  });
  const result = '{"content":[],"structuredContent":{"sum":12345678901234567890.10}}';
  server.answer(4, called.call, { result });
  const [[, answered]] = wire(client, server, 4);
  const structuredContent = { sum: 12345678901234567890.1 };
  const parts = { isError: false, raw: result, content: [], structuredContent };
  assert.deepEqual(answered.outcome, { ok: true, answer: { kind: "called", result: parts } });
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
  assert.deepEqual([event.outcome.error.error.data, event.outcome.error.error.raw], [100, "1e2"]);
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
  assert.deepEqual(event, { kind: "asked", ask: event.ask, what: "roots", params: {}, raw: "{}" });
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
    assert.deepEqual([asked.kind, asked.what, asked.params.message], ["asked", "elicitation", "Who?"]);
    client.answerAsk(2, asked.ask, { result: '{"action":"accept","content":{}}' });
    const [[, again]] = wire(client, server, 2);
    assert.deepEqual(again.context.answers.who, { action: "accept", content: {} });
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
  assert.deepEqual(told[0], { kind: "logged", level: "error", logger: "main", data: { n: 1 }, raw: '{"n":1.0}' });
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
  assert.throws(() => server.setPrompts(5, ["{"]), { code: "notJson" });
  assert.throws(() => server.logToAll(5, "loud", "1"), { code: "unknownLogLevel" });
  for (const stateKey of ["", "5", "5e", "+5".repeat(32), "é".repeat(32), "5e".repeat(33)]) {
    assert.throws(() => new Server({ stateKey }), { message: /^`config\.stateKey` must be .*64 hexadecimal digits/ }, stateKey);
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
  assert.throws(() => new Client({ handshakeTimout: 1 }), { code: "badOption", message: "`config.handshakeTimout` is not known; did you mean `handshakeTimeout`?" });
  assert.throws(() => new Client({ limits: { maxPages: -1 } }), { code: "badOption", message: "`config.limits.maxPages` must be a whole number from 0 on, not -1" });
  assert.throws(() => new Client({ tolerance: "lax" }), { message: /must be one of "tolerant", "strict"/ });
  assert.throws(() => new Client(7), { code: "badParameter", message: "`config` must be an object, not the number 7" });
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
  assert.throws(() => generate(find, { language: "cobol" }), { code: "badOption", message: /^`options\.language` must be one of/ });
});

test("the client alone checks nothing, and refuses to be asked for checks", () => {
  assert.throws(() => new ClientAlone({ checks: { arguments: true } }), { code: "badOption", message: /^`config\.checks\.arguments` .*`selvedge` has them/ });
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
  const exact = '{"a":[1,18446744073709551615,0.1,"é",null]}';
  assert.equal(toJson(toMsgpack(exact), { raw: true }), exact);
  assert.deepEqual(toJson(toMsgpack({ a: [1, 0.1, "é", null] })), { a: [1, 0.1, "é", null] });
  assert.throws(() => toMsgpack('{"a":18446744073709551616}'), { code: "integerOutOfRange", pointer: "/a" });
  assert.throws(() => toJson(new Uint8Array([0xc1])), { code: /./ });
});

test("objects are taken wherever the text of JSON is, and values come back", () => {
  const listing = [{ name: "add", inputSchema: { type: "object", properties: { a: { type: "integer" } } } }];
  const text = JSON.stringify(listing);
  for (const form of [listing, { tools: listing }, { jsonrpc: "2.0", id: 1, result: { tools: listing } }]) {
    assert.equal(generate(form).source, generate(text).source);
    assert.equal(surface(form).text, surface(text).text);
    assert.equal(detail(form, "add"), detail(text, "add"));
  }
  assert.deepEqual(plan(listing[0].inputSchema), plan(JSON.stringify(listing[0].inputSchema)));
  assert.equal(validate({ type: "integer" }, 5).kind, "valid");
  assert.equal(validate(true, null).kind, "valid");
  assert.equal(validate({ type: "string" }, '"text"').kind, "valid");
  assert.equal(new Validator({ type: "integer" }).check("5").kind, "valid");

  const client = new Client({ extensions: { "a.b/c": { d: 1 } }, offers: { roots: true } });
  const server = new Server({ tools: [listing[0], tool.replace("add", "sum")], logs: true, hasPrompts: true, completes: true });
  client.connect(0);
  wire(client, server, 0);
  assert.deepEqual(client.handshake().capabilities.value, JSON.parse(client.handshake().capabilities.raw));
  client.listTools(1);
  const [first, second] = wire(client, server, 1)[0][1].outcome.answer.listing.items;
  assert.deepEqual([first.inputSchema, first.raw, second.name], [listing[0].inputSchema, JSON.stringify(listing[0]), "sum"]);

  client.callTool(2, "add", { a: 1, absent: undefined }, { meta: { "x.y/z": [1] } });
  const [[, asked]] = wire(client, server, 2);
  assert.deepEqual([asked.request.arguments, asked.request.raw], [{ a: 1 }, '{"a":1}']);
  assert.deepEqual(asked.context.meta["x.y/z"], [1]);
  server.log(3, asked.call, "error", { n: 1 });
  server.answer(3, asked.call, { result: { content: [{ type: "text", text: "é" }], structuredContent: { n: 1 } } });
  const [[, logged], [, settled]] = wire(client, server, 3);
  assert.deepEqual([logged.data, logged.raw], [{ n: 1 }, '{"n":1}']);
  const { result } = settled.outcome.answer;
  assert.deepEqual([result.content[0].text, result.structuredContent], ["é", { n: 1 }]);
  assert.equal(result.content, result.content, "parsed once");
  assert.deepEqual(structuredClone(result), { ...result });

  client.complete(4, { type: "ref/prompt", name: "p" }, { name: "a", value: "b" });
  const [[, completing]] = wire(client, server, 4);
  assert.deepEqual(completing.request.reference, { type: "ref/prompt", name: "p" });
  assert.equal(completing.request.raw.argument, '{"name":"a","value":"b"}');
  server.answer(4, completing.call, { error: { code: -32602, message: "no", data: { why: ["x"] } } });
  const { error } = wire(client, server, 4)[0][1].outcome.error;
  assert.deepEqual([error.data, error.raw], [{ why: ["x"] }, '{"why":["x"]}']);

  client.request(5, "x/y", { a: 1 });
  const [frame] = drain(client);
  assert.equal(JSON.parse(decode(frame.bytes)).params.a, 1);
  client.handleBytes(5, encode(`{"jsonrpc":"2.0","id":${JSON.parse(decode(frame.bytes)).id},"result":{"n":1.50,"n":2}}\n`));
  const { answer } = drain(client)[0].event.outcome;
  assert.deepEqual(answer, { kind: "raw", result: { n: 2 }, raw: '{"n":1.50,"n":2}' });
});

test("a server's words for members mean nothing to JavaScript", () => {
  const { client } = pair();
  client.request(1, "x/y", {});
  drain(client);
  client.handleBytes(1, encode('{"jsonrpc":"2.0","id":2,"result":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}\n'));
  const { answer } = drain(client)[0].event.outcome;
  assert.equal(Object.getPrototypeOf(answer.result), Object.prototype);
  assert.deepEqual(Object.keys(answer.result), ["__proto__", "constructor"]);
  assert.equal({}.polluted, undefined);
});

test("what JSON has no form for is refused, with the place where it stands", () => {
  const circle = {};
  circle.list = [circle];
  const refused = [
    [{ a: { b: [1n] } }, /^`json\.a\.b\[0\]` is a BigInt, which has no JSON; pass the text/],
    [{ a: () => 1 }, /^`json\.a` is a function/],
    [{ a: Symbol("s") }, /^`json\.a` is a symbol/],
    [[NaN], /^`json\[0\]` is NaN/],
    [{ a: -Infinity }, /^`json\.a` is -Infinity/],
    [circle, /^`json\.list\[0\]` is an object that contains itself/],
    [new Map([[1, 2]]), /^`json` is a Map/],
    [{ a: new Uint8Array(3) }, /^`json\.a` is a Uint8Array/],
    [Promise.resolve(1), /^`json` is a Promise; wait for it/],
    [{ get a() { throw new Error("of a getter"); } }, /^`json` cannot be written as JSON: of a getter/],
  ];
  for (const [value, message] of refused) assert.throws(() => toMsgpack(value), { code: "notJson", message }, String(message));
  const twice = { n: 1 };
  assert.deepEqual(toJson(toMsgpack({ a: twice, b: twice, date: new Date(0), u: undefined })), { a: twice, b: twice, date: new Date(0).toJSON() });
  let deep = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.throws(() => toMsgpack(deep), SelvedgeError);
});

test("every parameter is looked at, by the name that it has in the types", () => {
  const client = new Client();
  const server = new Server();
  const refused = [
    [() => generate(), /^`listing` must be a value that JSON has, or the text of one, not undefined/],
    [() => generate("tools"), /^`listing`, the string "tools", is not the text of JSON/],
    [() => generate([], "rust"), /^`options` must be an object, not the string "rust"/],
    [() => generate([], { lang: "rust" }), /^`options\.lang` is not known; did you mean `language`\?/],
    [() => generate([], { onprogress() {} }), /^`options\.onprogress` is not known; known are `server`/],
    [() => detail([], 5), /^`tool` must be a string, not the number 5/],
    [() => validate({ type: "string" }, "text"), /^`value`, the string "text", is not .*pass JSON\.stringify/],
    [() => validate(undefined, 1), /^`schema` must be/],
    [() => new Validator(() => 1), /^`schema` is a function/],
    [() => toJson("text"), /^`bytes` must be a Uint8Array, not the string "text"/],
    [() => toJson(new Uint8Array([1]), { raw: 1 }), /^`options\.raw` must be a boolean, not 1/],
    [() => new Client({ checks: { args: true } }), /^`config\.checks\.args` is not known; known are `arguments`, `results`/],
    [() => new Client({ patience: { idle: "1s" } }), /^`config\.patience\.idle` must be a number of milliseconds from 0 on, not "1s"/],
    [() => new Client({ patience: { idle: 1n } }), /^`config\.patience\.idle` is a BigInt.*pass a number/],
    [() => new Client({ extensions: { x: { y: Infinity } } }), /^`config\.extensions\.x\.y` is Infinity/],
    [() => new Client({ patience: { idle: null } }), /^`config\.patience\.idle` must be a number of milliseconds from 0 on, not null/],
    [() => new Client({ limits: { maxPages: null } }), /^`config\.limits\.maxPages` must be a whole number from 0 on, not null/],
    [() => new Client({ patience: { idle: -Infinity } }), /^`config\.patience\.idle` must be a number/],
    [() => new Client({ extensions: ["x"] }), /^`config\.extensions` must be an object, not \["x"\]/],
    [() => new ClientAlone({ checks: true }), /^`config\.checks` must be an object, not true/],
    [() => client.listen(0, { uris: "a:b" }), /^`interests\.uris` must be an array, not "a:b"/],
    [() => client.listen(0, { uris: [5] }), /^`interests\.uris\.0` must be a string, not 5/],
    [() => server.answer(0, 1, { notFound: false }), /^`answer\.notFound` must be true, not false/],
    [() => new Server({ tools: {} }), /^`config\.tools` must be an array, not {}/],
    [() => client.connect(), /^`now` must be a number, not undefined/],
    [() => client.connect(NaN), /^`now` must be a number, not the number NaN/],
    [() => client.callTool(0, 5), /^`name` must be a string, not the number 5/],
    [() => client.callTool(0, "x"), /^`args` must be an object, or the text of one, not undefined/],
    [() => client.callTool(0, "x", ["y"]), /^`args` must be an object, or the text of one, not an array/],
    [() => client.callTool(0, "x", {}, { timeout: 5 }), /^`options\.timeout` is not known; known are `patience`/],
    [() => client.callTool(0, "x", {}, { patience: null }), /^`options\.patience` must be an object, not null/],
    [() => client.handleBytes(0, "x"), /^`bytes` must be a Uint8Array/],
    [() => client.handleExited(0, { exit: 1 }), /^`status\.exit` is not known/],
    [() => client.handleOpenFailed(0, "gone", "x"), /"gone" is no kind of failure to open/],
    [() => client.answerAsk(0, 1, { results: {} }), /^`answer\.results` is not known/],
    [() => server.setTools(0, [{ name: "a" }, 5]), /^`tools\[1\]` must be an object, or the text of one, not the number 5/],
    [() => server.setTools(0, '[{"name":"a"}]'), /^`tools` must be an array, not the string/],
    [() => server.answer(0, 1, { input: { questions: [{ key: "k", what: "x" }] } }), /^`answer\.input\.questions\.0\.what` must be one of/],
    [() => server.reportProgress(0, 1, "half"), /^`progress` must be a number/],
    [() => server.log(0, 1, "info", undefined), /^`data` must be/],
  ];
  for (const [act, message] of refused) {
    assert.throws(act, (error) => {
      assert.ok(error instanceof SelvedgeError && error instanceof Error, act);
      assert.match(error.message, message);
      assert.match(error.code, /^(badParameter|badOption|notJson)$/);
      return true;
    });
  }
});

test("what one build of the package throws is an instance of the class of each", () => {
  const failure = (() => {
    try {
      return new ClientAlone(7);
    } catch (error) {
      return error;
    }
  })();
  assert.ok(failure instanceof SelvedgeError && failure instanceof ErrorOfClient);
  assert.equal(new Error("x") instanceof SelvedgeError, false);
  assert.equal(null instanceof SelvedgeError, false);
  assert.deepEqual([failure.name, String(failure)], ["SelvedgeError", `SelvedgeError: ${failure.message}`]);
});

test("the types name every state of the core, and every word that an option may be", () => {
  const source = readFileSync(join(root, "core", "src", "client", "state.rs"), "utf8");
  const [, variants] = /pub enum State \{([^]*?)\n\}/.exec(source);
  const states = variants.match(/^ {4}[A-Z]\w+/gm).map((name) => name.trim().toLowerCase());
  assert.deepEqual(union("State"), states.sort());
  for (const [type, refuse] of [
    ["Framing", () => new Client({ framing: "x" })],
    ["Language", () => generate([], { language: "x" })],
    ["Level", () => generate([], { level: "x" })],
  ]) {
    assert.throws(refuse, ({ message }) => {
      const words = /one of (.*), not/.exec(message)[1].match(/[\w-]+/g);
      assert.deepEqual(union(type), words.sort());
      return true;
    });
  }
  for (const level of union("LogLevel")) assert.throws(() => new Server().logToAll(0, level, "{"), { code: "notJson" });
});

/** Returns the words of a type of the package. */
function union(type) {
  const types = readFileSync(join(root, "target", "npm", "selvedge", "dist", "esm", "index.d.ts"), "utf8");
  return new RegExp(`export type ${type} = (.*);`).exec(types)[1].match(/[\w-]+/g).sort();
}
