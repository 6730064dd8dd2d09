// The package as a user gets it: packed, installed, and used the way each kind of project does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { packed, root } from "./support.mjs";

const tools = join(root, "wasm", "node_modules");
const bin = (name) => join(tools, ".bin", name);
const folder = mkdtempSync(join(tmpdir(), "selvedge-package-"));
const app = join(folder, "app");
const installed = join(app, "node_modules", "selvedge");

const LISTING = '[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}}}}]';

function run(command, args, options = {}) {
  return execFileSync(command, args, { cwd: app, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
}

function write(path, text) {
  writeFileSync(join(app, path), text);
}

before(() => {
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: packed }));
  mkdirSync(app);
  write("package.json", '{ "name": "app", "private": true }');
  run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, filename)]);
});

test("the package holds what it exports, and installs without a script", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.dependencies, undefined);
  const files = JSON.stringify(manifest.exports).match(/\.\/dist\/[^"]+/g);
  for (const file of new Set(files)) assert.ok(readFileSync(join(installed, file)).length > 0, file);
  assert.deepEqual(readdirSync(installed).sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist", "examples", "package.json"]);
});

test("the examples that its README names are in the package", () => {
  const named = readFileSync(join(installed, "README.md"), "utf8").match(/`(?:\w+\/)?examples\/[^`]+`/g);
  assert.ok(named.length > 1, named);
  for (const path of named) assert.ok(existsSync(join(installed, path.slice(1, -1))), path);
});

test("every type, member and method of its types is described", () => {
  const harness = readdirSync(join(installed, "dist", "esm", "node")).filter((file) => !file.startsWith("support."));
  const files = ["esm/index.d.ts", "esm/client.d.ts", "bundler.d.ts", ...harness.map((file) => `esm/node/${file}`)];
  const declares = /^ *(?:export (?:declare )?(?:type|interface|class|function) \w|(?:readonly |get )?(?:\w+|\[Symbol\.\w+\])\??[(:])/;
  /** The name of a function, which is described once for all of its forms. */
  const functionOf = (line) => /^ *(?:export function )?(\w+)\(/.exec(line ?? "")?.[1];
  for (const file of files) {
    const lines = readFileSync(join(installed, "dist", file), "utf8").split("\n");
    const bare = lines.filter((line, at) => {
      const isForm = functionOf(line) !== undefined && functionOf(line) === functionOf(lines[at - 1]);
      return declares.test(line) && !isForm && !/^ *(?:kind:|constructor\()/.test(line) && !lines[at - 1]?.trim().endsWith("*/");
    });
    assert.deepEqual(bare, [], file);
  }
});

test("its manifest and its types are in order", () => {
  run(bin("publint"), ["--strict", installed]);
  // The entries for browsers are modules only, as browsers are; the `.wasm` files have no types.
  const exclude = ["selvedge.wasm", "client.wasm"];
  const rules = ["cjs-resolves-to-esm"];
  run(bin("attw"), ["--pack", installed, "--profile", "node16", "--exclude-entrypoints", ...exclude, "--ignore-rules", ...rules]);
});

// What V8 of Node 20 and 22 aborts on when memory grows meanwhile: see `accompanied` in the bindings.
test("no export returns one reference and nothing else", async () => {
  const { default: binaryen } = await import(join(tools, "binaryen", "index.js"));
  for (const name of ["selvedge", "client"]) {
    const module = binaryen.readBinary(readFileSync(join(installed, "dist", `${name}.wasm`)));
    const exported = Array.from({ length: module.getNumExports() }, (_, at) => binaryen.getExportInfo(module.getExportByIndex(at)));
    const functions = exported.filter(({ kind }) => kind === binaryen.ExternalFunction);
    assert.ok(functions.some(({ name }) => name === "client_pollEffect"));
    const alone = functions.filter(({ value }) => {
      const { results } = binaryen.getFunctionInfo(module.getFunction(value));
      return results === binaryen.externref;
    });
    assert.deepEqual(alone.map(({ name }) => name), [], name);
    module.dispose();
  }
});

describe("under Node", () => {
  const print = `console.log(JSON.stringify([surface(LISTING, { level: "names" }).text.split("\\n")[2], typeof connect, new Client().state()]))`;
  const expected = '["add","function","parked"]\n';

  test("import works", () => {
    write(
      "app.mjs",
      `import { surface, init } from "selvedge"; import { Client } from "selvedge/client"; import { connect } from "selvedge/node";
       const LISTING = ${JSON.stringify(LISTING)}; await init(); ${print}`,
    );
    assert.equal(run(process.execPath, ["app.mjs"]), expected);
  });

  test("require works, and both share one module", () => {
    write(
      "app.cjs",
      `const { surface, Client } = require("selvedge"); const { connect } = require("selvedge/node");
       const LISTING = ${JSON.stringify(LISTING)}; ${print};
       import("selvedge").then((esm) => { if (esm.Client !== Client) throw new Error("two modules"); });`,
    );
    assert.equal(run(process.execPath, ["app.cjs"]), expected);
  });

  test("types are checked as a user's project does", () => {
    const text = `
      import { type Effect, type Json, type JsonObject, Client, SelvedgeError, generate, validate } from "selvedge";
      import { CallFailed, connect, loadTools } from "selvedge/node";
      export async function main(): Promise<string> {
        await using connection = await connect({ command: "x" });
        const tools = await loadTools<{ add(args: { a: number }): Promise<{ text: string }> }>(connection);
        const effect: Effect | undefined = new Client({ patience: { idle: 1 } }).pollEffect();
        if (effect?.kind === "send") return String(effect.bytes.length);
        // @ts-expect-error: there is no such option
        generate("[]", { lang: "rust" });
        generate([{ name: "a", inputSchema: { type: "object" } }], { language: "rust" });
        interface Sum { a: number; b?: number | undefined }
        const args: Sum = { a: 1 };
        const structured: unknown = (await connection.callTool("add", args, { timeout: 5 })).structuredContent;
        // @ts-expect-error: there is no such setting
        await connection.callTool("add", args, { onprogress() {} });
        const text: string = await connection.request("x/y", {}, { raw: true });
        const value: Json = await connection.request("x/y", { a: 1 });
        const schema: JsonObject = (await connection.listTools()).items[0]!.inputSchema;
        const failure: unknown = [structured, text, value, schema, validate({ type: "integer" }, 5).kind];
        if (failure instanceof CallFailed) return failure.error.kind;
        if (failure instanceof SelvedgeError) return failure.code;
        return (await tools.add({ a: 1 })).text;
      }`;
    write("types.mts", text);
    write("types.cts", text);
    const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"];
    const types = ["--typeRoots", join(tools, "@types"), "--types", "node"];
    run(bin("tsc"), [...options, ...types, "--exactOptionalPropertyTypes", "types.mts", "types.cts"]);
  });

  test("a module that is missing or broken is named", () => {
    const broken = join(folder, "broken");
    cpSync(installed, broken, { recursive: true });
    writeFileSync(join(broken, "dist", "selvedge.wasm"), "no module");
    const load = () => createRequire(import.meta.url)(join(broken, "dist", "cjs", "index.js"));
    assert.throws(load, { code: "notAModule", message: /selvedge could not start: .*selvedge\.wasm is no WebAssembly module/ });
  });
});

describe("in a browser", () => {
  let browser;
  let server;
  let origin;
  let policy;

  before(async () => {
    const { chromium } = createRequire(join(tools, "x.js"))("playwright-core");
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
    server = createServer((request, response) => serve(request, response, policy));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${server.address().port}`;
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Loads a page and returns what it says in its title, once it says something, and what it complained about. */
  async function visit(path) {
    const page = await browser.newPage();
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(origin + path);
    await page.waitForFunction(() => document.title !== "");
    const title = await page.title();
    await page.close();
    return { title, complaints };
  }

  const use = `
    const { surface, Client, generate } = selvedge;
    const first = surface(${JSON.stringify(LISTING)}, { level: "names" }).text.split("\\n")[2];
    document.title = [first, new Client().state(), generate("[]").losses.length].join(" ");`;

  test("a plain page needs one script and no tool", async () => {
    write("page.html", `<meta charset="utf-8"><script type="module">
      import * as selvedge from "./node_modules/selvedge/dist/esm/web.js";
      await selvedge.init(); await selvedge.init();${use}</script>`);
    assert.deepEqual(await visit("/page.html"), { title: "add parked 0", complaints: [] });
  });

  test("bytes, responses and compiled modules start it too", async () => {
    write("own.html", `<meta charset="utf-8"><script type="module">
      import * as selvedge from "./node_modules/selvedge/dist/esm/client-web.js";
      const bytes = await (await fetch("./node_modules/selvedge/dist/client.wasm")).arrayBuffer();
      selvedge.initSync(await WebAssembly.compile(bytes));
      document.title = new selvedge.Client().state();</script>`);
    assert.deepEqual(await visit("/own.html"), { title: "parked", complaints: [] });
    write("response.html", `<meta charset="utf-8"><script type="module">
      import * as selvedge from "./node_modules/selvedge/dist/esm/web.js";
      await selvedge.init(fetch("./node_modules/selvedge/dist/selvedge.wasm"));${use}</script>`);
    assert.equal((await visit("/response.html")).title, "add parked 0");
  });

  test("what keeps it from loading is said in a sentence, and trying again is possible", async () => {
    write("fails.html", `<meta charset="utf-8"><script type="module">
      import * as selvedge from "./node_modules/selvedge/dist/esm/web.js";
      const errors = [];
      for (const source of ["/absent.wasm", "/page.html", 5]) {
        await selvedge.init(source).catch((error) => errors.push(error.code + ": " + error.message));
      }
      await selvedge.init();
      document.title = errors.join("\\n");</script>`);
    const { title } = await visit("/fails.html");
    assert.match(title, /notFound: selvedge could not start: \/absent\.wasm answered 404/);
    assert.match(title, /notAModule: selvedge could not start: \/page\.html is no WebAssembly module/);
    assert.match(title, /badParameter: `source` must be the address of the module, a response, .*, not the number 5/);
  });

  test("a policy that forbids WebAssembly is named, and the one that is enough is enough", async () => {
    write("policy.html", `<meta charset="utf-8"><script type="module" src="/policy.js"></script>`);
    write("policy.js", `import * as selvedge from "./node_modules/selvedge/dist/esm/web.js";
      try { await selvedge.init(); ${use} } catch (error) { document.title = error.code + ": " + error.message; }`);
    policy = "default-src 'self'";
    assert.match((await visit("/policy.html")).title, /^blockedByPolicy: .*'wasm-unsafe-eval'/);
    policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
    assert.equal((await visit("/policy.html")).title, "add parked 0");
    policy = undefined;
  });

  test("Vite builds it", async () => {
    mkdirSync(join(app, "vite"));
    write("vite/index.html", '<meta charset="utf-8"><script type="module" src="./main.js"></script>');
    write("vite/main.js", `import * as selvedge from "selvedge"; await selvedge.init();${use}`);
    const options = ["--base", "./", "--outDir", "../built", "--logLevel", "error"];
    run(process.execPath, [join(tools, "vite", "bin", "vite.js"), "build", "vite", ...options]);
    assert.ok(readdirSync(join(app, "built", "assets")).some((file) => file.endsWith(".wasm")));
    assert.deepEqual(await visit("/built/index.html"), { title: "add parked 0", complaints: [] });
  });
});

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

function serve(request, response, policy) {
  const path = new URL(request.url, "http://x").pathname;
  let body;
  try {
    body = readFileSync(join(app, path));
  } catch {
    response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    return;
  }
  const headers = { "Content-Type": TYPES[extname(path)] ?? "text/plain" };
  if (policy) headers["Content-Security-Policy"] = policy;
  response.writeHead(200, headers).end(body);
}
