// What the tests share: where the servers are, and the package as it was assembled.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The assembled package. */
export const packed = join(root, "target", "npm", "selvedge");

/** Returns where the real servers of the interop tests are; installs them if nobody has. */
function servers() {
  if (process.env.SELVEDGE_SERVERS) return process.env.SELVEDGE_SERVERS;
  const said = execFileSync("bash", [join(root, "scripts", "servers")], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return (process.env.SELVEDGE_SERVERS = said.trimEnd().split("\n").at(-1));
}

/** Returns how one of the real servers of the interop tests is started. */
export function real(name, ...args) {
  const file = join(servers(), "node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  return { command: process.execPath, args: [file, ...args] };
}

/** Returns how the fake that misbehaves on demand is started. */
export function stubborn(...args) {
  return { command: fake("stubborn"), args };
}

/** Returns the path of one of the fakes of the tests. */
export function fake(name) {
  const path = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", name);
  if (!existsSync(path)) execFileSync("cargo", ["build", "-q", "-p", "selvedge-tests", "--bins"], { cwd: root, stdio: "inherit" });
  return path;
}

/** Returns whether a process is there. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until something is so; what never comes true fails the test by its time-out. */
export async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
