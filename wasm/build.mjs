// Assembles the npm package from what wasm-bindgen wrote.
//
//   node build.mjs BINDINGS PACKAGE
//
// BINDINGS holds `selvedge/` and `client/`, the two outputs of wasm-bindgen; PACKAGE is written anew.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [bindings, target] = process.argv.slice(2).map((path) => resolve(path));
const dist = join(target, "dist");
const [esm, cjs, bundled] = [join(dist, "esm"), join(dist, "cjs"), join(dist, "bundled")];
const stage = join(bindings, "stage");

/** What the types need of the language, whatever a project's own settings are. */
const LIBRARY = '/// <reference lib="esnext.disposable" />\n';

/** The two builds: everything, and the client alone. */
const BUILDS = [
  { name: "selvedge", entry: "index", web: "web", bundler: "bundler" },
  { name: "client", entry: "client", web: "client-web" },
];

/** The kinds that a parameter is looked at by (`js/door.js`), by the types that stand for them. */
const KINDS = {
  number: "number",
  string: "string",
  LogLevel: "string",
  OpenFailure: "string",
  Uint8Array: "bytes",
  "Uint8Array | number[]": "bytes",
  JsonInput: "json",
  JsonObjectInput: "object",
  "readonly JsonObjectInput[]": "objects",
};

function prepare() {
  for (const folder of [target, stage]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [esm, cjs, bundled, stage]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
  cpSync(join(here, "README.md"), join(target, "README.md"));
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(root, licence), join(target, licence));
  const filter = (path) => !["node_modules", ".gitignore"].includes(basename(path));
  cpSync(join(here, "examples"), join(target, "examples"), { recursive: true, filter });
}

/** Returns what the bindings export beside their inner workings. */
function exported(name) {
  const loader = readFileSync(join(bindings, name, `${name}.js`), "utf8");
  const names = /export \{\s*([^}]*?)\s*\} from/.exec(loader)?.[1];
  if (!names) throw new Error(`${name}.js exports nothing that is known here`);
  return names.split(/[\s,]+/).filter(Boolean);
}

/** Reads from the types of the bindings what every function takes: the names and kinds that callers are held to. */
function signatures(types, names) {
  const found = Object.fromEntries(names.map((name) => [name, {}]));
  let owner;
  for (const line of types.split("\n")) {
    const [, member, list] = /^(?:export function |    )(\w+)\((.*)\)(?:: .+)?;$/.exec(line) ?? [];
    if (/^export class /.test(line)) owner = /^export class (\w+)/.exec(line)[1];
    if (member === undefined) continue;
    const signature = list === "" ? "" : list.split(", ").map(parameter).join(",");
    if (!line.startsWith(" ")) found[member] = signature;
    else if (owner in found && member !== "free") found[owner][member] = signature;
  }
  return found;
}

function parameter(text) {
  const [, name, optional, type] = /^(\w+)(\??): (.+)$/.exec(text);
  const kind = type.replace(/ \| (?:null|undefined)$/, "");
  return `${name}${optional}:${KINDS[kind] ?? /^\w*/.exec(kind)[0]}`;
}

/** Reads from the types which options there are, and which of them are objects of options. */
function shapes(types) {
  const interfaces = types.matchAll(/^export interface (\w+) \{\n([^]*?)^\}/gm);
  const found = Object.fromEntries([...interfaces].map(([, name, body]) => {
    const members = [...body.matchAll(/^ +(\w+)\??: (.+);$/gm)];
    return [name, Object.fromEntries(members.map(([, member, type]) => [member, type.replace(/^Partial<(\w+)>$/, "$1")]))];
  }));
  return (names) => {
    const needed = {};
    const add = (name) => {
      if (needed[name] || !found[name]) return;
      needed[name] = {};
      for (const [member, type] of Object.entries(found[name])) {
        needed[name][member] = found[type] ? type : "";
        add(type);
      }
    };
    names.forEach(add);
    return needed;
  };
}

/** Writes the module of everything that the bindings export, behind a look at what callers pass. */
function guardedExports(name, glue) {
  const names = exported(name);
  const types = readFileSync(join(bindings, name, `${name}.d.ts`), "utf8");
  const wanted = signatures(types, names);
  const kinds = JSON.stringify(wanted).match(/(?<=:)[A-Z]\w*/g) ?? [];
  const file = join(stage, `${name}-exports.js`);
  const door = JSON.stringify(join(here, "js", "door.js"));
  writeFileSync(
    file,
    `import * as bindings from ${JSON.stringify(glue)};\nimport { guard } from ${door};\n` +
      `export const { ${names.join(", ")} } = guard(bindings, ${JSON.stringify(wanted)}, ${JSON.stringify(shapes(types)(kinds))});\n` +
      `export { SelvedgeError } from ${JSON.stringify(join(here, "js", "glue.js"))};\n`,
  );
  return file;
}

/** The bindings bring a copy of `glue.js`; there is one of it in a bundle. */
const oneGlue = {
  name: "one-glue",
  setup({ onResolve }) {
    onResolve({ filter: /\/glue\.js$/ }, () => ({ path: join(here, "js", "glue.js") }));
  },
};

/** Writes an ES module that hands on what a CommonJS one holds: both share one instance. */
function wrap(entry, names) {
  const list = names.join(", ");
  const text = `import cjs from "../cjs/${entry}.js";\n\nexport const { ${list} } = cjs;\n`;
  writeFileSync(join(esm, `${entry}.js`), text);
}

async function bundle(loader, outfile, name, options, file = `../${name}.wasm`) {
  const glue = join(bindings, name, `${name}_bg.js`);
  await build({
    entryPoints: [join(here, "js", "loaders", `${loader}.js`)],
    outfile,
    bundle: true,
    legalComments: "none",
    logLevel: "warning",
    target: "es2022",
    plugins: [oneGlue],
    alias: { "@bindings": glue, "@exports": guardedExports(name, glue), "@packed": `./${name}.wasm.js` },
    external: [`./${name}.wasm.js`],
    define: { MODULE_FILE: JSON.stringify(file), BINDINGS_KEY: JSON.stringify(`./${name}_bg.js`) },
    ...options,
  });
}

async function bindingsOf({ name, entry, web, bundler }) {
  const names = [...exported(name), "SelvedgeError", "init", "initSync"];
  const esmOptions = { format: "esm", platform: "browser" };
  await bundle("node", join(cjs, `${entry}.js`), name, { format: "cjs", platform: "node" });
  wrap(entry, names);
  await bundle("embedded", join(bundled, `${entry}.js`), name, { format: "esm", platform: "node" });
  await bundle("web", join(esm, `${web}.js`), name, esmOptions);
  if (bundler) await bundle("bundler", join(dist, `${bundler}.js`), name, esmOptions, `./${name}.wasm`);
  const types = documented(readFileSync(join(bindings, name, `${name}.d.ts`), "utf8"));
  const init = readFileSync(join(here, "js", "loaders", "init.d.ts"), "utf8");
  const files = [join(cjs, entry), join(esm, entry), join(esm, web), bundler && join(dist, bundler)];
  for (const file of files.filter(Boolean)) writeFileSync(`${file}.d.ts`, LIBRARY + types + init);
  const module = readFileSync(join(bindings, name, `${name}_bg.wasm`));
  writeFileSync(join(dist, `${name}.wasm`), module);
  const packed = brotliCompressSync(module).toString("base64");
  writeFileSync(join(bundled, `${name}.wasm.js`), `export default "${packed}";\n`);
}

/** Says of the two methods that every class has what they do. */
function documented(types) {
  return types
    .replaceAll("    free(): void;", "    /** Gives the memory of the object back; nothing else may be done with it then. */\n    free(): void;")
    .replaceAll("    [Symbol.dispose](): void;", "    /** As `free`, for `using`. */\n    [Symbol.dispose](): void;");
}

/** Compiles the harness; its types go beside it once for each kind of module. */
async function harness() {
  const source = join(stage, "node");
  cpSync(join(here, "js", "node"), source, { recursive: true });
  writeFileSync(join(source, "support.ts"), supportWithCodes());
  const config = {
    extends: join(here, "tsconfig.json"),
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      rootDir: "node",
      outDir: "types",
      // The support of generated modules knows nothing of the classes that it extends here.
      noImplicitOverride: false,
      paths: { selvedge: [join(esm, "index.d.ts")], "@door": [join(here, "js", "door.d.ts")] },
      typeRoots: [join(here, "node_modules", "@types")],
    },
    include: ["node"],
  };
  writeFileSync(join(stage, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(stage, "tsconfig.json"), JSON.stringify(config));
  execFileSync(join(here, "node_modules", ".bin", "tsc"), ["-p", stage], { stdio: "inherit" });
  for (const [folder, format] of [[cjs, "cjs"], [bundled, "esm"]]) {
    await build({
      entryPoints: [join(source, "index.ts")],
      outfile: join(folder, "node.js"),
      bundle: true,
      format,
      platform: "node",
      target: "node20",
      logLevel: "warning",
      plugins: [oneGlue],
      alias: { selvedge: "./index.js", "@door": join(here, "js", "door.js") },
      external: ["./index.js"],
    });
  }
  wrap("node", namesOf(join(cjs, "node.js")));
  for (const folder of [esm, cjs]) {
    cpSync(join(stage, "types"), join(folder, "node"), { recursive: true });
    writeFileSync(join(folder, "node.d.ts"), `${LIBRARY}export * from "./node/index.js";\n`);
  }
}

/** Returns what generated modules need beside them, with errors of the package's one family. */
function supportWithCodes() {
  const text = readFileSync(join(root, "core", "src", "codegen", "support", "selvedge.ts"), "utf8");
  const base = "export class McpError extends Error {}";
  if (!text.includes(base)) throw new Error(`the support of generated modules has no \`${base}\``);
  return `import { CodedError } from "./codes.js";\n${text.replace(base, "export class McpError extends CodedError {}")}`;
}

/** Reads the names that esbuild notes for Node at the end of a CommonJS module. */
function namesOf(file) {
  const noted = /0 && \(module\.exports = \{\s*([^}]*?)\s*\}\)/.exec(readFileSync(file, "utf8"))?.[1];
  if (!noted) throw new Error(`${file} exports nothing that is known here`);
  return noted.split(/[\s,]+/).filter(Boolean);
}

prepare();
for (const one of BUILDS) await bindingsOf(one);
await harness();
// The last of all: a package that has it is whole.
cpSync(join(here, "package", "package.json"), join(target, "package.json"));
console.log(`${target}: ${readdirSync(dist).join(", ")}`);
