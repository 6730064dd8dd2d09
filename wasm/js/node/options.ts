// What an application passes is looked at before anything is done: what is refused is named as it was written.

import { type CallOptions, type Offered, SelvedgeError } from "selvedge";
import { known, must, string } from "@door";
import type { CallSettings, ConnectOptions, RequestSettings } from "./connection.js";

const CONNECT = {
  command: "",
  args: "",
  env: "",
  cwd: "",
  config: "",
  handlers: "",
  onEvent: "",
  signal: "",
} satisfies Record<keyof ConnectOptions, string>;

const HANDLERS = { sampling: "", elicitation: "", roots: "" } satisfies Record<Offered, string>;

const SETTINGS = { signal: "", onProgress: "", timeout: "", totalTimeout: "" } satisfies Record<keyof CallSettings, string>;
const REQUEST = { ...SETTINGS, raw: "" } satisfies Record<keyof RequestSettings, string>;

/** The options of a listing that is made into functions. */
const LOAD = { ...SETTINGS, server: "", maxTools: "" };

/** Looks at the options of `connect`. */
export function checkConnect(options: ConnectOptions): void {
  const { command, args, env, cwd, config, handlers, onEvent, signal } = known(options, "options", CONNECT);
  string(command, "options.command");
  if (command === "") throw must("options.command", "the name or the path of a program", command);
  if (args !== undefined) strings(args);
  if (env !== undefined) variables(env);
  if (cwd !== undefined) string(cwd, "options.cwd");
  if (config !== undefined) checkConfig(config);
  for (const [name, handler] of Object.entries(handlers === undefined ? {} : known(handlers, "options.handlers", HANDLERS))) {
    aFunction(handler, `options.handlers.${name}`);
  }
  aFunction(onEvent, "options.onEvent");
  aSignal(signal, "options.signal");
}

function checkConfig(config: object): void {
  if (typeof config !== "object" || config === null) throw must("options.config", "an object", config);
  if ("offers" in config) {
    throw new SelvedgeError("badOption", "`options.config.offers` follows `options.handlers`: a handler is what offers something");
  }
}

function strings(args: unknown): void {
  if (!Array.isArray(args)) throw must("options.args", "an array of strings", args);
  args.forEach((arg, at) => string(arg, `options.args[${at}]`));
}

function variables(env: unknown): void {
  if (typeof env !== "object" || env === null || Array.isArray(env)) throw must("options.env", "an object of strings", env);
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) string(value, `options.env.${name}`);
  }
}

/** Looks at the settings of a call. */
export function checkSettings(settings: CallSettings | undefined): CallSettings {
  return settings === undefined ? {} : check(settings, "settings", SETTINGS);
}

/** Looks at the settings of `request`. */
export function checkRequest(settings: RequestSettings | undefined): RequestSettings {
  if (settings === undefined) return {};
  const { raw } = check(settings, "settings", REQUEST);
  if (raw !== undefined && typeof raw !== "boolean") throw must("settings.raw", "a boolean", raw);
  return settings;
}

/** Looks at the options of `loadTools`. */
export function checkLoad<T extends CallSettings>(options: T): T {
  return check(options, "options", LOAD);
}

function check<T extends CallSettings>(settings: T, name: string, shape: Record<string, string>): T {
  const { signal, onProgress, timeout, totalTimeout } = known(settings, name, shape);
  aSignal(signal, `${name}.signal`);
  aFunction(onProgress, `${name}.onProgress`);
  aDuration(timeout, `${name}.timeout`);
  aDuration(totalTimeout, `${name}.totalTimeout`);
  return settings;
}

function aFunction(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== "function") throw must(name, "a function", value);
}

function aSignal(value: unknown, name: string): void {
  if (value === undefined) return;
  // Test environments and polyfills bring classes of their own.
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof addEventListener !== "function") throw must(name, "an AbortSignal", value);
}

function aDuration(value: unknown, name: string): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw must(name, "a number of milliseconds from 0 on, or Infinity", value);
}

/** Says to the engine what of the settings is the engine's. */
export function callOptions({ onProgress, timeout, totalTimeout }: CallSettings): CallOptions | undefined {
  if (onProgress === undefined && timeout === undefined && totalTimeout === undefined) return undefined;
  const patience = {
    ...(timeout === undefined ? {} : { idle: timeout }),
    ...(totalTimeout === undefined ? {} : { total: totalTimeout }),
  };
  return { progress: onProgress !== undefined, patience };
}
