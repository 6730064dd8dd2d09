// The examples do what they say, and the types say what crosses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { packed, real, root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "selvedge-examples-"));
const examples = join(root, "wasm", "examples");
const tsc = join(root, "wasm", "node_modules", ".bin", "tsc");
const everything = real("everything");

function node(cwd, ...args) {
  const options = { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
  return execFileSync(process.execPath, [...args, "--", everything.command, ...everything.args], options);
}

/** Copies a folder to where it may be written, with the package beside it. */
function copy(name, from) {
  const to = join(folder, name);
  cpSync(from, to, { recursive: true });
  mkdirSync(join(to, "node_modules"), { recursive: true });
  symlinkSync(packed, join(to, "node_modules", "selvedge"));
  symlinkSync(join(root, "wasm", "node_modules", "@types"), join(to, "node_modules", "@types"));
  return to;
}

test("any server is listed and called from a shell", () => {
  assert.match(node(examples, "list-and-call.mjs"), /^mcp-servers\/everything 2\.0\.0 speaks 2025-11-25\necho: /);
  assert.match(node(examples, "list-and-call.mjs", "get-sum", '{"a":2,"b":40}'), /\nThe sum of 2 and 40 is 42\.\n/);
});

test("a program runs over a generated module, and over the same functions without one", () => {
  const typed = copy("typed", join(examples, "typed"));
  node(typed, "generate.mjs");
  for (const file of ["everything.ts", "selvedge.ts"]) {
    const generated = readFileSync(join(typed, file), "utf8");
    if (process.env.UPDATE_GOLDEN) writeFileSync(join(examples, "typed", file), generated);
    assert.equal(generated, readFileSync(join(examples, "typed", file), "utf8"), `UPDATE_GOLDEN=1 writes ${file} anew`);
  }
  execFileSync(tsc, ["-p", typed], { stdio: "inherit" });
  assert.equal(node(typed, "out/main.js"), "The sum of 2 and 40 is 42.\n36\nEcho: woven\n");
});

test("the programs of the README do what it says", () => {
  const [run, generated, driven] = readFileSync(join(packed, "README.md"), "utf8").match(/(?<=```js\n)[^]*?(?=```)/g);
  const server = `connect(${JSON.stringify(everything)})`;
  const listing = 'const listing = [{ name: "find", description: "Finds.", inputSchema: { type: "object" } }];';
  const programs = {
    run: [run.replace(/connect\(\{.*\}\)/, server), /The sum of 2 and 40 is 42\.[^]*The sum of 1 and 2 is 3\.[^]*\{ kind: 'exited', status: \{ code: 0 \} \}/],
    generated: [generated.replace("import", `${listing}\nimport`), /find/],
    driven: [`${driven}\nturn(0); client.callTool(1, "add", {}); turn(1); turn(1);`, /kind: 'ready'[^]*kind: 'settled'/],
  };
  for (const [name, [text, expected]] of Object.entries(programs)) {
    writeFileSync(join(folder, `${name}.mjs`), text);
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    if (!existsSync(join(folder, "node_modules", "selvedge"))) symlinkSync(packed, join(folder, "node_modules", "selvedge"));
    assert.match(node(folder, `${name}.mjs`), expected, name);
  }
});

test("every variant that crosses is what the types say, and every type has one", () => {
  const types = join(folder, "types");
  mkdirSync(types);
  for (const file of ["fixtures.gen.ts", "coverage.ts"]) cpSync(join(root, "wasm", "js", file), join(types, file));
  writeFileSync(join(types, "package.json"), '{ "type": "module" }');
  mkdirSync(join(types, "node_modules"));
  symlinkSync(packed, join(types, "node_modules", "selvedge"));
  const options = ["--strict", "--noEmit", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext"];
  execFileSync(tsc, [...options, "coverage.ts"], { cwd: types, stdio: "inherit" });
});
