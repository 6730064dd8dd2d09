/** The languages that modules are generated in. */
export type Language = "typescript" | "python" | "rust" | "gleam";

/** How much of each tool a surface shows. */
export type Level = "names" | "two-line" | "notes" | "full";

/** What to generate, and how large it may be. */
export interface GenerateOptions {
  /** The name of the server, as `invoke` is given it. */
  server?: string;
  /** Default `typescript`. */
  language?: Language;
  /** The form of the module: `loom` is always Gleam. Default `typed`. */
  profile?: "typed" | "loom";
  /** How much of each tool the surface shows; by default the most that fits. */
  level?: Level;
  /** Default 64 KiB. */
  maxSurfaceBytes?: number;
  /** The most tools of a module. Default 256 in profile `loom`, 2 048 in `typed`. */
  maxTools?: number;
  /** The most bytes of a module. Default 512 KiB in profile `loom`, 4 MiB in `typed`. */
  maxSourceBytes?: number;
}

/** A module, and what belongs to it. */
export interface Generated {
  /** The name by which a program imports the module. */
  moduleName: string;
  /** Where the module belongs, relative to the folder of the support files. */
  path: string;
  /** The text of the module. */
  source: string;
  /** What the module has for each tool, in its order. */
  functions: GeneratedFunction[];
  /** The files that the module needs beside it; the same for every server. */
  support: { path: string; text: string }[];
  /** What a model is shown. */
  surface: Surface;
  /** What is expressed less precisely than the server said it, and what is left out. */
  losses: Loss[];
}

/** The function of one tool. */
export interface GeneratedFunction {
  /** The tool's own name. */
  tool: string;
  /** The name by which a program calls it. */
  name: string;
  /** The tool declares what it returns, and the module says it. */
  hasResult: boolean;
}

/** What a model is shown. */
export interface Surface {
  /** How much of each tool is shown. */
  level: Level;
  /** The text for the model. */
  text: string;
}

/** A place where something of a listing is not, or not fully, expressed. */
export interface Loss {
  /** The original name of the tool; `#3` for an entry without one; empty where all are meant. */
  tool: string;
  /** A JSON pointer into the tool's entry. */
  path: string;
  /** The kind of the loss, for programs. */
  reason: string;
  /** The same as a sentence. */
  message: string;
}

/** How the arguments of a tool are taken in profile `loom`. */
export type Plan =
  | { kind: "typed"; required: PlannedParam[]; optional: { name: string; note?: string }[] }
  | { kind: "wholeValue"; reason: string };

/** A required parameter, and how it is taken. */
export type PlannedParam = { name: string; note?: string; choices: string[] } & (
  | { kind: "simple" | "listOf"; type: "string" | "integer" | "number" | "boolean" }
  | { kind: "structured"; reason: string }
);

/** What a check found. */
export type Verdict =
  | { kind: "valid" }
  | Mismatch
  | { kind: "gaveUp"; message: string; cause: "steps" | "depth" };

/** How JSON comes back. */
export interface JsonOptions {
  /** As its text, to the digit. By default it comes as the value. */
  raw?: boolean;
}

/**
 * Carries MessagePack over to JSON: to the value, or to its text where `raw` is chosen, which keeps integers beyond 2⁵³.
 *
 * # Errors
 *
 * The bytes are not one value, or hold what JSON cannot.
 */
export function toJson(bytes: Uint8Array, options: JsonOptions & { raw: true }): JsonText;
export function toJson(bytes: Uint8Array, options?: JsonOptions): Json;
