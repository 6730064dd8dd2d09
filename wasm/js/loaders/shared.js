// What every loader shares: instantiating the module, and saying in a sentence why that failed.

import { SelvedgeError } from "../glue.js";

/** Makes the error of a module that could not be loaded. */
export function loadError(code, message, cause) {
  return new SelvedgeError(code, `selvedge could not start: ${message}`, { cause });
}

/** Says why WebAssembly cannot run here, if it cannot. */
export function checkSupport() {
  if (typeof WebAssembly !== "object") {
    throw loadError("noWebAssembly", "this JavaScript engine has no WebAssembly; a browser since 2021 has");
  }
}

/** Turns what an engine says about a module into something that tells what to do. */
export function explain(error, where) {
  if (error instanceof SelvedgeError) return error;
  const said = String(error?.message ?? error);
  if (/Content.Security.Policy|unsafe-eval|wasm-eval|Wasm code generation disallowed/i.test(said)) {
    const message = "the page's Content-Security-Policy forbids WebAssembly; allow it with `script-src 'wasm-unsafe-eval'`";
    return loadError("blockedByPolicy", message, error);
  }
  if (error instanceof WebAssembly.CompileError) {
    const message = `${where} is no WebAssembly module of this package, or this engine is too old for it (${said})`;
    return loadError("notAModule", message, error);
  }
  if (error instanceof WebAssembly.LinkError) {
    const message = `${where} belongs to another version of this package; install both again (${said})`;
    return loadError("versionMismatch", message, error);
  }
  return loadError("notLoaded", `${where} could not be loaded (${said})`, error);
}

/** Starts a compiled module with the bindings that belong to it. */
export function start(bindings, key, module, where) {
  try {
    const instance = new WebAssembly.Instance(module, { [key]: bindings });
    attach(bindings, instance);
  } catch (error) {
    throw explain(error, where);
  }
}

export function attach(bindings, instance) {
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
}
