// Prints what the package weighs, beside what it is held against.
//
//   node sizes.mjs FOLDER
//
// FOLDER holds `bindings/` and `selvedge/`. It fails where something is heavier than its limit. A limit stands a little
// above what is reached, so that growth shows; where it is not yet what is aimed at, the aim is printed beside it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2];
const KIB = 1024;

const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;
const read = (...path) => readFileSync(join(folder, ...path));
const kib = (bytes) => (bytes / KIB).toFixed(1).padStart(8);

/** The official client as a page would load it. */
async function official() {
  const stdin = { contents: 'export * from "@modelcontextprotocol/client";', resolveDir: here };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", platform: "browser", write: false });
  return outputFiles[0].contents;
}

async function minified(path) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, path)],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    external: ["*.wasm"],
  });
  return outputFiles[0].contents;
}

const rows = [];
const MODULES = [
  { name: "selvedge", limit: 250, aim: 215 },
  { name: "client", limit: 73, aim: 65 },
];
for (const { name, limit, aim } of MODULES) {
  const raw = read("bindings", name, "raw.wasm");
  const optimised = read("selvedge", "dist", `${name}.wasm`);
  rows.push({ what: `${name}.wasm`, raw: raw.length, small: optimised.length, brotli: brotli(optimised), limit, aim });
}
for (const [name, path] of [["glue", "web.js"], ["glue of the client", "client-web.js"]]) {
  const text = read("selvedge", "dist", "esm", path);
  const small = await minified(join("selvedge", "dist", "esm", path));
  rows.push({ what: name, raw: text.length, small: small.length, brotli: brotli(small), limit: 15 });
}
const peer = await official();
rows.push({ what: "@modelcontextprotocol/client", raw: peer.length, small: peer.length, brotli: brotli(peer) });

console.log("KiB                             named optimised   brotli    limit");
for (const { what, raw, small, brotli, limit, aim } of rows) {
  const aimed = aim < limit ? `  (the aim is ${aim})` : "";
  console.log(what.padEnd(28), kib(raw), kib(small), kib(brotli), limit ? kib(limit * KIB) : "", aimed);
}
const heavy = rows.filter(({ brotli, limit }) => brotli > limit * KIB);
for (const { what, brotli, limit } of heavy) console.log(`${what} is ${kib(brotli - limit * KIB).trim()} KiB too heavy`);
process.exitCode = heavy.length > 0 ? 1 : 0;
