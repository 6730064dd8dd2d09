// Measures the harness against the official TypeScript client, same server, same run, and generation against native code.
//
//   node bench.mjs [--check] [--smoke]
//
// `--check` fails where a bound is not held, `--smoke` takes few samples. The client that is not ours and ours take turns.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = fileURLToPath(new URL("..", import.meta.url));
const { connect } = await import(join(root, "target", "npm", "selvedge", "dist", "esm", "node.js"));
const { generate } = await import(join(root, "target", "npm", "selvedge", "dist", "esm", "index.js"));
const isSmoke = process.argv.includes("--smoke");
const ROUNDS = isSmoke ? 3 : 9;
const CALLS = isSmoke ? 2_000 : 20_000;
const WIDTH = 64;
const LARGE = 8 << 20;

const echo = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release", "echo");
if (!existsSync(echo)) {
  execFileSync("cargo", ["build", "-q", "--release", "-p", "selvedge-tests", "--bin", "echo"], { cwd: root, stdio: "inherit" });
}

async function ours() {
  const connection = await connect({ command: echo });
  return {
    call: async (bytes) => (await connection.callTool("echo", { bytes })).content[0].text.length,
    close: () => connection.close(),
  };
}

async function official() {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: echo }));
  return {
    call: async (bytes) => (await client.callTool({ name: "echo", arguments: { bytes } })).content[0].text.length,
    close: () => client.close(),
  };
}

/** Milliseconds for one call, with so many in flight. */
async function throughput({ call }, calls, width) {
  let left = calls;
  const worker = async () => {
    while (left-- > 0) await call(10);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: width }, worker));
  return (performance.now() - started) / calls;
}

async function large({ call }) {
  const started = performance.now();
  if ((await call(LARGE)) !== LARGE) throw new Error("the result was cut");
  return performance.now() - started;
}

const median = (samples) => samples.sort((a, b) => a - b)[Math.floor(samples.length / 2)];

/** Measures both in turns, so that a slow moment of the machine meets both. */
async function compare(peers, measure) {
  const samples = peers.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, peer] of peers.entries()) {
      const sample = await measure(peer);
      // The first round only warms up.
      if (round > 0) samples[at].push(sample);
    }
  }
  return samples.map(median);
}

/** A listing of 100 tools as servers have them. */
function hundredTools() {
  const listing = JSON.parse(readFileSync(join(root, "tests", "goldens", "generator", "listing.json"), "utf8"));
  const tools = Array.isArray(listing) ? listing : (listing.tools ?? listing.result.tools);
  const many = Array.from({ length: 100 }, (_, at) => ({ ...tools[at % tools.length], name: `tool_${at}` }));
  return JSON.stringify(many);
}

/** What the native benchmark measures, in its order. */
const BACKENDS = [["gleam", "loom"], ["gleam", "typed"], ["typescript", "typed"], ["python", "typed"], ["rust", "typed"]];

/** The best time of one generation for each backend, in milliseconds. */
function generation(listing) {
  return BACKENDS.map(([language, profile]) => {
    const options = { server: "bench", language, profile, level: "two-line", maxSurfaceBytes: 1 << 20 };
    const samples = Array.from({ length: isSmoke ? 10 : 100 }, () => {
      const started = performance.now();
      generate(listing, options);
      return performance.now() - started;
    });
    return Math.min(...samples);
  });
}

/** The same from the engine that was compiled for this machine. */
function nativeGeneration(listing) {
  const folder = mkdtempSync(join(tmpdir(), "selvedge-bench-"));
  try {
    const file = join(folder, "listing.json");
    writeFileSync(file, listing);
    const bench = ["bench", "-q", "-p", "selvedge-tests", "--bench", "generator", "--", "--listing", file];
    const said = execFileSync("cargo", bench, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    return said.trim().split(" ").map(Number);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const peers = [await ours(), await official()];
const calls = await compare(peers, (peer) => throughput(peer, CALLS, WIDTH));
const alone = await compare(peers, (peer) => throughput(peer, CALLS / 20, 1));
const results = await compare(peers, large);
await Promise.all(peers.map((peer) => peer.close()));

let failed = false;
function report(what, unit, [own, other], bound) {
  const ratio = other / own;
  const verdict = bound === undefined ? "" : `, at least ${bound}: ${ratio >= bound ? "held" : "NOT HELD"}`;
  failed ||= bound !== undefined && ratio < bound;
  console.log(`${what.padEnd(24)} ${own.toFixed(2)} ${unit}, official ${other.toFixed(2)} ${unit}: ${ratio.toFixed(2)} times as fast${verdict}`);
}
report(`a call, ${WIDTH} in flight`, "µs", calls.map((millis) => millis * 1_000), 2);
report("a call alone", "µs", alone.map((millis) => millis * 1_000));
report("a result of 8 MiB", "ms", results, 3);
const listing = hundredTools();
const own = generation(listing);
const native = nativeGeneration(listing);
console.log(`a module of 100 tools, ${listing.length} bytes, at most 3 times as long as native code:`);
for (const [at, [language, profile]] of BACKENDS.entries()) {
  const ratio = own[at] / native[at];
  failed ||= ratio > 3;
  const times = `${own[at].toFixed(2)} ms, native ${native[at].toFixed(2)} ms`;
  console.log(`${`  ${language}, ${profile}`.padEnd(24)} ${times}: ${ratio.toFixed(2)} times as long${ratio > 3 ? ", NOT HELD" : ""}`);
}
process.exitCode = failed && process.argv.includes("--check") ? 1 : 0;
