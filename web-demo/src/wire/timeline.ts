// What the wire view shows, whoever made it: a session in the page, or one that was recorded.

import type { State } from "selvedge/web";

export type Side = "client" | "server" | "wire";
export type Tone = "plain" | "good" | "warn" | "bad";

/** One line of the log. Entries stand in the order of their ticks. */
export interface Entry {
  at: number;
  side: Side;
  kind: "frame" | "command" | "effect" | "event" | "fault" | "process";
  title: string;
  note?: string;
  tone: Tone;
  /** The message or the object in full. */
  text?: string;
  /** For frames: which way, and when it is there; one that is lost never is. */
  way?: "up" | "down";
  arrives?: number;
}

export interface CallRow {
  call: number;
  what: string;
  since: number;
  ended?: number;
  outcome?: string;
  tone?: Tone;
}

/** What both sides are at one moment. */
export interface Standing {
  at: number;
  state: State;
  revision?: string;
  wake?: number;
  inFlight: number;
  stray: number;
  strayBytes: number;
  reason?: string;
  process: string;
  served: number;
  calls: CallRow[];
}

export interface Timeline {
  readonly log: readonly Entry[];
  readonly standings: readonly Standing[];
  /** How far it was worked out. */
  readonly now: number;
  /** Until when something can happen; a session in the page has no end. */
  readonly end: number | undefined;
  /** Works out everything until a moment. */
  advance(to: number): void;
  /** When something happens next, after what was worked out. */
  next(): number | undefined;
  free(): void;
}

const MAX_KEPT_TEXT = 64 * 1024;

export function clipped(text: string): string {
  return text.length > MAX_KEPT_TEXT ? `${text.slice(0, MAX_KEPT_TEXT)}\n… ${text.length - MAX_KEPT_TEXT} more characters` : text;
}

/** Says in a few words what a line on the wire is. */
export function summarize(line: string): { title: string; note?: string; tone: Tone } {
  const message = parse(line);
  if (!message) return { title: line.trim().slice(0, 80) || "(an empty line)", note: "no message", tone: "warn" };
  const id = message["id"] === undefined ? "" : ` #${String(message["id"])}`;
  if (typeof message["method"] === "string") {
    const name = (message["params"] as { name?: unknown } | undefined)?.name;
    const title = `${message["method"]}${typeof name === "string" ? ` ${name}` : ""}`.slice(0, 120);
    return { title, note: id ? `request${id}` : "notification", tone: "plain" };
  }
  const error = message["error"] as { code?: unknown; message?: unknown } | undefined;
  if (error) return { title: `error ${String(error.code)}`, note: `answer${id}: ${String(error.message)}`.slice(0, 160), tone: "bad" };
  const result = message["result"] as Record<string, unknown> | undefined;
  return { title: `result: ${members(result)}`, note: `answer${id}`, tone: "plain" };
}

function members(result: Record<string, unknown> | undefined): string {
  const names = Object.keys(result ?? {}).filter((name) => name !== "_meta");
  return names.slice(0, 4).join(", ").slice(0, 80) || "(empty)";
}

export function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes an object of the engine as text; bytes are not repeated. */
export function shown(value: unknown): string {
  return clipped(JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part instanceof Uint8Array ? `${part.length} bytes` : part), 2));
}
