// What the page and its workers say to each other. What takes time to work out, sizes too, comes from the workers.

import type { GenerateOptions, GeneratedFunction, Level, Loss } from "selvedge/web";

import type { Place } from "./place.js";

export interface Request {
  id: number;
  listing: string;
  options: GenerateOptions;
  /** Only this tool's detail is wanted. */
  tool?: string;
}

export interface Fault {
  code: string;
  message: string;
  /** Where the listing is at fault, if it is at one place. */
  place?: Place;
}

/** Text with its size in UTF-8. */
export interface Sized {
  text: string;
  bytes: number;
}

export type LevelResult = ({ level: Level } & Sized) | { level: Level; fault: Fault };

export interface File extends Sized {
  path: string;
  lines: number;
}

export interface Result {
  /** The module, then what it needs beside it. */
  files: File[];
  functions: GeneratedFunction[];
  losses: Loss[];
  levels: LevelResult[];
  /** The richest level that fits. */
  best: { level: Level } & Sized;
  /** What the core worked for the module, in milliseconds. */
  took: number;
}

export type Response =
  | { id: number; kind: "result"; bytes: number; result: Result }
  | { id: number; kind: "detail"; text: string | undefined }
  | { id: number; kind: "fault"; bytes: number; fault: Fault };

export interface CountRequest {
  id: number;
  texts: string[];
}

export interface CountResponse {
  id: number;
  counts: number[];
}
