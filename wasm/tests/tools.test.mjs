// Every entry of the package in the tools that it is for: engines, bundlers for Node, bundlers for pages.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium, project, serve, tools, visit } from "./install.mjs";
import { real } from "./support.mjs";

const require = createRequire(join(tools, "x.js"));
const { app, run, write, installed } = project("tools");

/** A program that uses every entry that Node has, and what it prints. */
const PROGRAM = `
  import { Client, SelvedgeError, generate, init } from "selvedge";
  import { Client as ClientAlone } from "selvedge/client";
  import { connect } from "selvedge/node";
  import { validate } from "selvedge/web";
  import { plan } from "selvedge/bundler";
  main();
  async function main() {
    await init();
    const connection = await connect({ command: process.argv[2], args: process.argv.slice(3) });
    const { items } = await connection.listTools();
    const { functions } = generate(items.map(({ inputSchema }) => ({ name: "a", inputSchema })).slice(0, 1));
    const failure = await connection.callTool(5).catch((error) => error);
    const { kind } = await connection.close();
    const checks = [validate({ type: "integer" }, 5).kind, plan({ type: "object" }).kind, failure instanceof SelvedgeError];
    console.log(new Client().state(), new ClientAlone().state(), functions[0].name, kind, ...checks);
  }`;
const PRINTED = "parked parked a exited valid typed true\n";

const everything = real("everything");
const server = [everything.command, ...everything.args];

function required(program) {
  return program.replaceAll(/import (\{.*?\}) from (".*?");/g, (_, names, from) => `const ${names.replaceAll(" as ", ": ")} = require(${from});`);
}

const ABSENT = "npm has no build of it for this machine";
const bun = join(tools, "@oven", "bun-linux-x64", "bin", "bun");

describe("programs", () => {
  const engines = [
    ["Node 20", process.execPath, []],
    ["Node 22", join(tools, "node-22", "bin", "node"), []],
    ["Node 24", join(tools, "node-24", "bin", "node"), []],
    ["Deno", join(tools, "@deno", "linux-x64-glibc", "deno"), ["run", "--allow-all", "--node-modules-dir=manual"]],
    ["Bun", bun, []],
  ];

  before(() => {
    write("program.mjs", PROGRAM);
    write("program.cjs", required(PROGRAM));
  });

  for (const [name, engine, options] of engines) {
    const skip = existsSync(engine) ? false : ABSENT;
    for (const file of ["program.mjs", "program.cjs"]) {
      test(`run under ${name}, ${file.endsWith("mjs") ? "as modules" : "with require"}`, { skip }, () => {
        const env = { ...process.env, DENO_DIR: join(app, "deno") };
        assert.equal(run(engine, [...options, file, ...server], { env }), PRINTED);
      });
    }
  }
});

test("the modules and the manifest are found by their names", async () => {
  const found = createRequire(join(app, "x.js"));
  for (const name of ["selvedge", "client"]) {
    const exported = WebAssembly.Module.exports(await WebAssembly.compile(readFileSync(found.resolve(`selvedge/${name}.wasm`))));
    assert.ok(exported.some(({ name }) => name === "client_pollEffect"));
  }
  assert.equal(found("selvedge/package.json").name, "selvedge");
});

describe("bundled for Node, a program needs nothing beside it", () => {
  /** Runs what a tool made where there is no package. */
  function alone(file) {
    const folder = mkdtempSync(join(tmpdir(), "selvedge-alone-"));
    cpSync(join(app, file), join(folder, file.split("/").at(-1)));
    return run(process.execPath, [join(folder, file.split("/").at(-1)), ...server], { cwd: folder });
  }

  before(() => write("source.mjs", PROGRAM));

  for (const format of ["esm", "cjs"]) {
    for (const minify of [false, true]) {
      test(`by esbuild, ${format}${minify ? ", minified" : ""}`, async () => {
        const outfile = `esbuild/${format}${minify ? ".min" : ""}.${format === "esm" ? "mjs" : "cjs"}`;
        const { build } = require("esbuild");
        const options = { entryPoints: [join(app, "source.mjs")], outfile: join(app, outfile), platform: "node", bundle: true };
        const { warnings } = await build({ ...options, format, minify, logLevel: "silent" });
        assert.deepEqual(warnings, []);
        assert.equal(alone(outfile), PRINTED);
      });
    }
  }

  test("by Rollup", async () => {
    await rolled("source.mjs", "rollup-node", { exportConditions: ["node"] });
    assert.equal(alone("rollup-node/source.mjs"), PRINTED);
  });

  test("by webpack", async () => {
    await packedUp({ source: "./source.mjs" }, "webpack-node", { target: "node20", output: { filename: "[name].cjs", path: join(app, "webpack-node") } });
    assert.equal(alone("webpack-node/source.cjs"), PRINTED);
  });

  test("by Bun", { skip: existsSync(bun) ? false : ABSENT }, () => {
    run(bun, ["build", "source.mjs", "--target=node", "--outfile=bun/source.mjs"]);
    assert.equal(alone("bun/source.mjs"), PRINTED);
  });

  test("by Vite", async () => {
    const { build } = await import(join(tools, "vite", "dist", "node", "index.js"));
    await build({
      root: app,
      logLevel: "error",
      configFile: false,
      ssr: { noExternal: true },
      build: { ssr: "source.mjs", outDir: "vite-node", rollupOptions: { output: { entryFileNames: "[name].mjs" } } },
    });
    assert.equal(alone("vite-node/source.mjs"), PRINTED);
  });
});

async function rolled(input, dir, options, output = {}) {
  const { rollup } = require("rollup");
  const { nodeResolve } = require("@rollup/plugin-node-resolve");
  const warnings = [];
  const inputs = [input].flat().map((one) => join(app, one));
  const bundle = await rollup({ input: inputs, plugins: [nodeResolve(options)], external: /^node:/, onwarn: ({ message }) => warnings.push(message) });
  await bundle.write({ dir: join(app, dir), format: "es", entryFileNames: "[name].mjs", ...output });
  assert.deepEqual(warnings, []);
}

async function packedUp(entry, folder, options) {
  const webpack = require("webpack");
  const output = { path: join(app, folder), filename: "[name].js" };
  const config = { mode: "production", context: app, entry, output, performance: false, ...options };
  const stats = await new Promise((resolve, reject) => webpack(config, (error, stats) => (error ? reject(error) : resolve(stats))));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings], []);
}

describe("bundled for a page", () => {
  let browser;
  let site;

  const say = "document.title = [new Client().state(), generate([{ name: 'add', inputSchema: {} }]).functions[0].name].join(' ');";
  /** How a page begins with each entry, where the tool sees to the module. */
  const PAGES = {
    main: `import { Client, generate, init } from "selvedge"; await init(); ${say}`,
    web: `import { Client, generate, init } from "selvedge/web"; await init(); ${say}`,
    ready: `import { Client, generate } from "selvedge/bundler"; ${say}`,
    client: 'import { Client, init } from "selvedge/client"; await init(); document.title = `${new Client().state()} alone`;',
  };
  const names = Object.keys(PAGES);
  const titleOf = (name) => (name === "client" ? "parked alone" : "parked add");

  before(async () => {
    browser = await chromium();
    site = await serve(app);
    for (const [name, text] of Object.entries(PAGES)) write(`page/${name}.js`, text);
  });

  after(async () => {
    await browser?.close();
    site?.close();
  });

  /** Opens the page of every entry that a tool made. */
  async function open(folder, extension = "js") {
    for (const name of names) {
      write(`${folder}/${name}.html`, `<meta charset="utf-8"><script type="module" src="./${name}.${extension}"></script>`);
      const seen = await visit(browser, `${site.origin}/${folder}/${name}.html`);
      assert.deepEqual(seen, { title: titleOf(name), complaints: [] }, name);
    }
  }

  test("by webpack, which takes the module as an asset", async () => {
    await packedUp(Object.fromEntries(names.map((name) => [name, `./page/${name}.js`])), "webpack", {});
    assert.equal(readdirSync(join(app, "webpack")).filter((file) => file.endsWith(".wasm")).length, 2);
    await open("webpack");
  });

  for (const mode of ["build", "serve"]) {
    test(`by Vite, ${mode === "build" ? "which takes the module as an asset" : "while developing"}`, async () => {
      const vite = await import(join(tools, "vite", "dist", "node", "index.js"));
      for (const name of names) write(`page/${name}.html`, `<meta charset="utf-8"><script type="module" src="./${name}.js"></script>`);
      const config = { root: join(app, "page"), base: "./", logLevel: "error", configFile: false };
      if (mode === "build") {
        const input = names.map((name) => join(app, "page", `${name}.html`));
        await vite.build({ ...config, build: { outDir: "../vite", rollupOptions: { input } } });
        for (const name of names) {
          const seen = await visit(browser, `${site.origin}/vite/${name}.html`);
          assert.deepEqual(seen, { title: titleOf(name), complaints: [] }, name);
        }
        return;
      }
      const developing = await vite.createServer({ ...config, base: "/", server: { port: 0, host: "127.0.0.1", fs: { allow: [app] } } });
      await developing.listen();
      try {
        const { port } = developing.httpServer.address();
        for (const name of names) assert.equal((await visit(browser, `http://127.0.0.1:${port}/${name}.html`)).title, titleOf(name), name);
      } finally {
        await developing.close();
      }
    });
  }

  /** Tools that leave addresses alone: the page says where the module is, and the modules are copied beside. */
  function withAddress() {
    for (const [name, text] of Object.entries(PAGES)) {
      const file = name === "client" ? "client.wasm" : "selvedge.wasm";
      write(`addressed/${name}.js`, text.replace("init()", `init(new URL("./${file}", import.meta.url))`));
    }
  }

  function copyModules(folder) {
    for (const file of ["selvedge.wasm", "client.wasm"]) cpSync(join(installed, "dist", file), join(app, folder, file));
  }

  test("by Rollup, with the modules copied beside what it writes", async () => {
    withAddress();
    await rolled(names.map((name) => `addressed/${name}.js`), "rollup", { browser: true });
    copyModules("rollup");
    await open("rollup", "mjs");
  });

  test("by esbuild, with the modules copied beside what it writes", async () => {
    withAddress();
    const { build } = require("esbuild");
    const entryPoints = names.map((name) => join(app, "addressed", `${name}.js`));
    const { warnings } = await build({ entryPoints, outdir: join(app, "esbuild-page"), bundle: true, minify: true, format: "esm", logLevel: "silent" });
    assert.deepEqual(warnings, []);
    copyModules("esbuild-page");
    await open("esbuild-page");
  });

  test("by esbuild, with its loader for files, as modules and as a script", async () => {
    write("loaded.js", `import { Client, generate, init } from "selvedge"; import at from "selvedge/selvedge.wasm"; init(at).then(() => { ${say} });`);
    const { build } = require("esbuild");
    for (const format of ["esm", "iife"]) {
      const outdir = join(app, `loaded-${format}`);
      const loader = { ".wasm": "file" };
      // A script has no address of its own, which is what the warning is about; it is given one here.
      await build({ entryPoints: [join(app, "loaded.js")], outdir, bundle: true, format, loader, publicPath: `/loaded-${format}`, logLevel: "silent" });
      write(`loaded-${format}/page.html`, `<meta charset="utf-8"><script ${format === "esm" ? 'type="module"' : "defer"} src="./loaded.js"></script>`);
      assert.deepEqual(await visit(browser, `${site.origin}/loaded-${format}/page.html`), { title: "parked add", complaints: [] }, format);
    }
  });

  test("by nothing at all: a plain page loads the files of the package", async () => {
    const files = { main: "esm/web", web: "esm/web", ready: "bundler", client: "esm/client-web" };
    mkdirSync(join(app, "plain"), { recursive: true });
    for (const [name, text] of Object.entries(PAGES)) {
      write(`plain/${name}.js`, text.replace(/"selvedge[^"]*"/, `"../node_modules/selvedge/dist/${files[name]}.js"`));
    }
    await open("plain");
  });
});
