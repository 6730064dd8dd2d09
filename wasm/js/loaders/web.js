// For browsers, and for bundlers that know `new URL(…, import.meta.url)`: call `init` once and wait for it.

import { SelvedgeError, shown } from "../glue.js";
import { attach, checkSupport, explain, loadError, start } from "./shared.js";
import * as bindings from "@bindings";

let starting;
let ready = false;

/**
 * Loads and starts the module: the one beside this file, or what is passed: an address, a response, bytes or a
 * compiled module. Once is enough; more does nothing.
 */
export function init(input) {
  starting ??= load(input).catch((error) => {
    starting = undefined;
    throw error;
  });
  return starting;
}

/** Starts a module from bytes or from a compiled module, without waiting. */
export function initSync(input) {
  if (ready) return;
  checkSupport();
  if (!isModule(input)) throw refused(input, "bytes or a compiled module");
  let module;
  try {
    module = input instanceof WebAssembly.Module ? input : new WebAssembly.Module(input);
  } catch (error) {
    throw explain(error, "the module that was passed");
  }
  start(bindings, BINDINGS_KEY, module, "the module that was passed");
  ready = true;
}

async function load(promised) {
  if (ready) return;
  checkSupport();
  const input = await promised;
  if (isModule(input)) return initSync(input);
  if (input !== undefined && !isAddress(input)) throw refused(input, "the address of the module, a response, bytes or a compiled module");
  const source = input ?? new URL(MODULE_FILE, import.meta.url);
  const where = typeof Response === "function" && source instanceof Response ? source.url : String(source);
  const response = await reach(source, where);
  try {
    const { instance } = await instantiate(response, { [BINDINGS_KEY]: bindings });
    attach(bindings, instance);
    ready = true;
  } catch (error) {
    throw explain(error, where);
  }
}

function isModule(input) {
  return input instanceof WebAssembly.Module || input instanceof ArrayBuffer || ArrayBuffer.isView(input);
}

function isAddress(input) {
  return typeof input === "string" || input instanceof URL || input instanceof Response;
}

function refused(input, what) {
  return new SelvedgeError("badParameter", `\`source\` must be ${what}, not ${shown(input)}`);
}

async function reach(source, where) {
  let response;
  try {
    response = await (source instanceof Response ? source : fetch(source));
  } catch (error) {
    throw loadError("notReached", `${where} could not be fetched (${error.message})`, error);
  }
  if (!response.ok) {
    throw loadError("notFound", `${where} answered ${response.status}; is the .wasm file served beside the script?`);
  }
  return response;
}

async function instantiate(response, imports) {
  const type = response.headers.get("Content-Type") ?? "";
  // Compiling while loading wants the right type; a server that does not send it costs only that.
  if (WebAssembly.instantiateStreaming && type.startsWith("application/wasm")) {
    return WebAssembly.instantiateStreaming(response, imports);
  }
  return WebAssembly.instantiate(await response.arrayBuffer(), imports);
}

export * from "@exports";
