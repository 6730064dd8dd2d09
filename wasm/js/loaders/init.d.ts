
/** What `init` takes: nothing for the module beside the script, or where it is, or what it is. */
export type ModuleSource = string | URL | Response | BufferSource | WebAssembly.Module;

/**
 * Loads and starts the module. In browsers, wait for it before anything else; under Node and with
 * `selvedge/bundler` there is nothing to wait for. An error that it rejects with has a `code`.
 */
export function init(source?: ModuleSource | Promise<Response>): Promise<void>;

/** Starts a module from bytes or from a compiled module, without waiting. */
export function initSync(source?: BufferSource | WebAssembly.Module): void;
