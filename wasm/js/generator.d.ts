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
  maxTools?: number;
  maxSourceBytes?: number;
}

export interface Generated {
  /** The name by which a program imports the module. */
  moduleName: string;
  /** Where the module belongs, relative to the folder of the support files. */
  path: string;
  source: string;
  /** What the module has for each tool, in its order. */
  functions: GeneratedFunction[];
  /** The files that the module needs beside it; the same for every server. */
  support: { path: string; text: string }[];
  surface: Surface;
  /** What is expressed less precisely than the server said it, and what is left out. */
  losses: Loss[];
}

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
  level: Level;
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

export type PlannedParam = { name: string; note?: string; choices: string[] } & (
  | { kind: "simple" | "listOf"; type: "string" | "integer" | "number" | "boolean" }
  | { kind: "structured"; reason: string }
);

/** What a check found. */
export type Verdict =
  | { kind: "valid" }
  | Mismatch
  | { kind: "gaveUp"; message: string; cause: "steps" | "depth" };
