// What the page and its workers say to each other.

import type { GenerateOptions, Generated, Level } from "selvedge/web";

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
  line?: number;
  column?: number;
}

export type LevelResult = { level: Level; text: string } | { level: Level; fault: Fault };

export interface Result {
  module: Generated;
  levels: LevelResult[];
  /** What the core worked for all of it, in milliseconds. */
  took: number;
}

export type Response =
  | { id: number; kind: "result"; result: Result }
  | { id: number; kind: "detail"; text: string | undefined }
  | { id: number; kind: "fault"; fault: Fault };

export interface CountRequest {
  id: number;
  texts: string[];
}

export interface CountResponse {
  id: number;
  counts: number[];
}
