// For Node: the module beside this file is read and started at once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSupport, loadError, explain, start } from "./shared.js";
import * as bindings from "@bindings";

const path = join(__dirname, MODULE_FILE);

function read() {
  try {
    return readFileSync(path);
  } catch (error) {
    throw loadError("notFound", `${path} is missing; install the package again (${error.code})`, error);
  }
}

function compile(bytes) {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    throw explain(error, path);
  }
}

checkSupport();
start(bindings, BINDINGS_KEY, compile(read()), path);

/** Under Node everything is ready when the package is; this is there for code that runs everywhere. */
export async function init() {}

/** As `init`. */
export function initSync() {}

export * from "@exports";
