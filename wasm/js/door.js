// What callers pass is looked at before the engine is: everything that is refused is named as the caller wrote it.

import { SelvedgeError, shown, stringify } from "./glue.js";

/** Makes the error of a parameter that is not what it must be. */
export function must(name, what, value) {
  return new SelvedgeError("badParameter", `\`${name}\` must be ${what}, not ${shown(value)}`);
}

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** How each kind of parameter is looked at, and what of it reaches the engine. */
const KINDS = {
  number(value, name) {
    if (typeof value !== "number" || Number.isNaN(value)) throw must(name, "a number", value);
    return value;
  },
  string(value, name) {
    if (typeof value !== "string") throw must(name, "a string", value);
    return value;
  },
  bytes(value, name) {
    if (value instanceof Uint8Array) return value;
    if (value instanceof ArrayBuffer || Array.isArray(value)) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    throw must(name, "a Uint8Array", value);
  },
  json(value, name) {
    if (typeof value === "string") return value;
    if (value === undefined) throw must(name, "a value that JSON has, or the text of one", value);
    return stringify(value, name, true);
  },
  object(value, name) {
    if (typeof value === "string") return value;
    if (!isRecord(value)) throw must(name, "an object, or the text of one", value);
    return stringify(value, name, true);
  },
  objects(value, name) {
    if (!Array.isArray(value)) throw must(name, "an array", value);
    return value.map((entry, at) => KINDS.object(entry, `${name}[${at}]`));
  },
};

export const { string, object } = KINDS;

/** Refuses options that do not exist, in `value` and in the options within it. */
export function known(value, name, shape, shapes) {
  if (!isRecord(value)) throw must(name, "an object", value);
  for (const [key, member] of Object.entries(value)) {
    if (!Object.hasOwn(shape, key)) throw new SelvedgeError("badOption", `\`${name}.${key}\` is not known; ${instead(key, Object.keys(shape))}`);
    const inner = shapes?.[shape[key]];
    if (inner && member !== undefined) known(member, `${name}.${key}`, inner, shapes);
  }
  return value;
}

function instead(name, names) {
  const [nearest] = names.map((one) => [difference(name.toLowerCase(), one.toLowerCase()), one]).sort(([a], [b]) => a - b);
  if (nearest && nearest[0] <= Math.max(2, name.length / 3)) return `did you mean \`${nearest[1]}\`?`;
  return `known are ${names.map((one) => `\`${one}\``).join(", ")}`;
}

/** Counts the letters to insert, to remove or to replace; the beginning of a name stands for the name. */
function difference(a, b) {
  if (a.length > 2 && b.startsWith(a)) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length && i < 64; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

/** Reads `name:kind`, `name?:kind`; a kind that is none of the table is the name of options. */
function parameters(signature) {
  if (signature === "") return [];
  return signature.split(",").map((one) => {
    const [, name, optional, kind] = /^(\w+)(\??):(\w*)$/.exec(one);
    return { name, isOptional: optional !== "", kind };
  });
}

function look(values, wanted, shapes) {
  return wanted.map(({ name, isOptional, kind }, at) => {
    const value = values[at];
    if (isOptional && (value === undefined || value === null)) return undefined;
    if (KINDS[kind]) return KINDS[kind](value, name);
    return shapes[kind] ? known(value, name, shapes[kind], shapes) : value;
  });
}

/** Says which text is not JSON: a string stands for the text of a value, never for itself. */
function explained(error, values, wanted) {
  if (error?.code !== "notJson") return error;
  const at = wanted.findIndex(({ kind }, at) => /^(json|object)$/.test(kind) && typeof values[at] === "string" && !isJson(values[at]));
  if (at >= 0) {
    const hint = wanted[at].kind === "json" ? "; pass JSON.stringify(text) for a string" : "";
    error.message = `\`${wanted[at].name}\`, ${shown(values[at])}, is not the text of JSON: ${error.message}${hint}`;
  }
  return error;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function guarded(inner, signature, shapes) {
  const wanted = parameters(signature);
  return function (...values) {
    try {
      return inner.apply(this, look(values, wanted, shapes));
    } catch (error) {
      throw explained(error, values, wanted);
    }
  };
}

function guardedClass(Inner, { constructor: signature, ...methods }, shapes) {
  for (const [name, signature] of Object.entries(methods)) {
    if (signature !== "") Inner.prototype[name] = guarded(Inner.prototype[name], signature, shapes);
  }
  const wanted = parameters(signature);
  const Guarded = class extends Inner {
    constructor(...values) {
      try {
        super(...look(values, wanted, shapes));
      } catch (error) {
        throw explained(error, values, wanted);
      }
    }
  };
  return Object.defineProperty(Guarded, "name", { value: Inner.name });
}

/** Returns what the bindings export, with a look at every parameter. */
export function guard(bindings, signatures, shapes) {
  const exports = Object.entries(signatures).map(([name, signature]) => {
    const inner = bindings[name];
    return [name, typeof signature === "string" ? guarded(inner, signature, shapes) : guardedClass(inner, signature, shapes)];
  });
  return Object.fromEntries(exports);
}
