// For bundlers that import WebAssembly as a module: ready when it is imported.

import * as wasm from "@module";
import { __wbg_set_wasm } from "@bindings";

__wbg_set_wasm(wasm);
wasm.__wbindgen_start();

/** Everything is ready when the module is; this is there for code that runs everywhere. */
export async function init() {}

/** As `init`. */
export function initSync() {}

export * from "@exports";
