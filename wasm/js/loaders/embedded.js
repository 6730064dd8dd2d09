// For bundlers that build for Node: the module travels within the script, so that nothing has to be copied.

import { brotliDecompressSync } from "node:zlib";
import { checkSupport, explain, start } from "./shared.js";
import packed from "@packed";
import * as bindings from "@bindings";

function compile() {
  try {
    return new WebAssembly.Module(brotliDecompressSync(Buffer.from(packed, "base64")));
  } catch (error) {
    throw explain(error, "the module within the script");
  }
}

checkSupport();
start(bindings, BINDINGS_KEY, compile(), "the module within the script");

/** Under Node everything is ready when the package is; this is there for code that runs everywhere. */
export async function init() {}

/** As `init`. */
export function initSync() {}

export * from "@exports";
