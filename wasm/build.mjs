// Assembles the npm package from what wasm-bindgen wrote.
//
//   node build.mjs BINDINGS PACKAGE
//
// BINDINGS holds `selvedge/` and `client/`, the two outputs of wasm-bindgen; PACKAGE is written anew.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [bindings, target] = process.argv.slice(2).map((path) => resolve(path));
const dist = join(target, "dist");
const [esm, cjs] = [join(dist, "esm"), join(dist, "cjs")];
const stage = join(bindings, "stage");

/** What the types need of the language, whatever a project's own settings are. */
const LIBRARY = '/// <reference lib="esnext.disposable" />\n';

/** The two builds: everything, and the client alone. */
const BUILDS = [
  { name: "selvedge", entry: "index", web: "web", bundler: "bundler" },
  { name: "client", entry: "client", web: "client-web" },
];

function prepare() {
  for (const folder of [target, stage]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [esm, cjs, stage]) mkdirSync(folder, { recursive: true });
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

/** Writes an ES module that hands on what a CommonJS one holds: both share one instance. */
function wrap(entry, names) {
  const list = names.join(", ");
  const text = `import cjs from "../cjs/${entry}.js";\n\nexport const { ${list} } = cjs;\n`;
  writeFileSync(join(esm, `${entry}.js`), text);
}

async function bundle(loader, outfile, name, options) {
  const glue = join(bindings, name, `${name}_bg.js`);
  const exports = join(stage, `${name}-exports.js`);
  writeFileSync(exports, `export { ${exported(name).join(", ")} } from ${JSON.stringify(glue)};\n`);
  await build({
    entryPoints: [join(here, "js", "loaders", `${loader}.js`)],
    outfile,
    bundle: true,
    legalComments: "none",
    logLevel: "warning",
    target: "es2022",
    alias: { "@bindings": glue, "@exports": exports, "@module": `../${name}.wasm` },
    external: [`../${name}.wasm`],
    define: { MODULE_FILE: JSON.stringify(`../${name}.wasm`), BINDINGS_KEY: JSON.stringify(`./${name}_bg.js`) },
    ...options,
  });
}

async function bindingsOf({ name, entry, web, bundler }) {
  const names = [...exported(name), "init", "initSync"];
  const esmOptions = { format: "esm", platform: "browser" };
  await bundle("node", join(cjs, `${entry}.js`), name, { format: "cjs", platform: "node" });
  wrap(entry, names);
  await bundle("web", join(esm, `${web}.js`), name, esmOptions);
  if (bundler) await bundle("bundler", join(esm, `${bundler}.js`), name, esmOptions);
  const types = readFileSync(join(bindings, name, `${name}.d.ts`), "utf8");
  const init = readFileSync(join(here, "js", "loaders", "init.d.ts"), "utf8");
  for (const file of [join(cjs, entry), ...[entry, web, bundler].filter(Boolean).map((one) => join(esm, one))]) {
    writeFileSync(`${file}.d.ts`, LIBRARY + types + init);
  }
  cpSync(join(bindings, name, `${name}_bg.wasm`), join(dist, `${name}.wasm`));
}

/** Compiles the harness; its types go beside it once for each kind of module. */
async function harness() {
  const source = join(stage, "node");
  cpSync(join(here, "js", "node"), source, { recursive: true });
  cpSync(join(root, "core", "src", "codegen", "support", "selvedge.ts"), join(source, "support.ts"));
  const config = {
    extends: join(here, "tsconfig.json"),
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      rootDir: "node",
      outDir: "types",
      paths: { selvedge: [join(esm, "index.d.ts")] },
      typeRoots: [join(here, "node_modules", "@types")],
    },
    include: ["node"],
  };
  writeFileSync(join(stage, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(stage, "tsconfig.json"), JSON.stringify(config));
  execFileSync(join(here, "node_modules", ".bin", "tsc"), ["-p", stage], { stdio: "inherit" });
  const { metafile } = await build({
    entryPoints: [join(source, "index.ts")],
    outfile: join(cjs, "node.js"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "warning",
    metafile: true,
    alias: { selvedge: "./index.js" },
    external: ["./index.js"],
  });
  const [output] = Object.values(metafile.outputs);
  wrap("node", output.exports.length > 0 ? output.exports : namesOf(join(cjs, "node.js")));
  for (const folder of [esm, cjs]) {
    cpSync(join(stage, "types"), join(folder, "node"), { recursive: true });
    writeFileSync(join(folder, "node.d.ts"), `${LIBRARY}export * from "./node/index.js";\n`);
  }
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
