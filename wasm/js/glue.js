// What the bindings need of JavaScript: words that are known by their place, JSON that is read and written, errors.

const BRAND = Symbol.for("selvedge.SelvedgeError");

export class SelvedgeError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  // Every build of the package has this class; what one throws is an instance of each.
  static [Symbol.hasInstance](value) {
    return this === SelvedgeError ? value?.[BRAND] === true : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}
Object.defineProperties(SelvedgeError.prototype, {
  name: { value: "SelvedgeError", writable: true, configurable: true },
  [BRAND]: { value: true },
});

const words = new Map();
const wordAt = (at, bytes) => words.get(at * 64 + bytes);

export function learn(at, bytes, word) {
  words.set(at * 64 + bytes, word);
}

export function put(object, at, bytes, value) {
  const word = wordAt(at, bytes);
  if (word === undefined) return false;
  object[word] = value;
  return true;
}

export function putWord(object, at, bytes, valueAt, valueBytes) {
  const value = wordAt(valueAt, valueBytes);
  return value !== undefined && put(object, at, bytes, value);
}

/** Puts the value that a JSON text stands for. */
export function putJson(object, at, bytes, text) {
  return put(object, at, bytes, JSON.parse(text));
}

/** Puts the value that a JSON text stands for, and the text as `raw`. */
export function putBoth(object, at, bytes, text) {
  object.raw = text;
  return putJson(object, at, bytes, text);
}

/** Puts the result of a tool, which may be large: it is parsed once, where somebody looks. */
export function putResult(object, text) {
  let parsed;
  const part = (name) => ({ enumerable: true, get: () => (parsed ??= JSON.parse(text))[name] });
  object.raw = text;
  Object.defineProperties(object, { content: part("content"), structuredContent: part("structuredContent") });
}

export function parse(text) {
  return JSON.parse(text);
}

/** Says a value in a few words. */
export function shown(value) {
  if (value === null || value === undefined || typeof value === "boolean") return `${value}`;
  if (typeof value === "string") return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "bigint") return "a BigInt";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Members whose values are JSON of any kind, where `Infinity` is no time without an end. */
const JSON_MEMBERS = /^(?:extensions|meta|tools|resources|resourceTemplates|prompts|result|data|params)$/;

/** Refuses what `JSON.stringify` would leave out or change without a word. */
function check(value, path, isJson, within) {
  if (typeof value?.toJSON === "function") value = value.toJSON();
  const what = unfit(value, isJson, within);
  if (what) throw new SelvedgeError("notJson", `\`${path}\` ${what}`);
  if (typeof value !== "object" || value === null) return;
  within.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    check(member, place, isJson || JSON_MEMBERS.test(key), within);
  }
  within.delete(value);
}

function unfit(value, isJson, within) {
  switch (typeof value) {
    case "bigint":
      return `is a BigInt, which has no JSON; pass ${isJson ? "the text of the JSON to keep all digits" : "a number"}`;
    case "function":
    case "symbol":
      return `is a ${typeof value}, which has no JSON`;
    case "number":
      if (Number.isNaN(value) || (isJson && !Number.isFinite(value))) return `is ${value}, which has no JSON`;
      return;
    case "object":
      if (within.has(value)) return "is an object that contains itself, which has no JSON";
      if (value instanceof Promise) return "is a Promise; wait for it";
      if (value !== null && Symbol.iterator in value && !Array.isArray(value) && !(value instanceof String)) {
        return `is a ${value.constructor?.name ?? "collection"}, which has no JSON; make an array or an object of it`;
      }
  }
}

/** Options may be infinite: what the engine reads as that is written for it. */
function endless(_, value) {
  return value === Infinity ? "Infinity" : value;
}

/** Writes a value as JSON, completely or not at all; what is `undefined` in an object is left out. */
export function stringify(value, name, isJson) {
  try {
    check(value, name, isJson, new Set());
    return JSON.stringify(value, isJson ? undefined : endless);
  } catch (error) {
    if (error instanceof SelvedgeError) throw error;
    throw new SelvedgeError("notJson", `\`${name}\` cannot be written as JSON: ${error.message}`, { cause: error });
  }
}
