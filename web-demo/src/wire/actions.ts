// What a person can do to a session, and the sessions that are ready to be looked at.

import type { ClientConfig } from "selvedge/web";

/** A deed with its moment. A session is its setup and its deeds: the same again gives the same again. */
export interface Action {
  at: number;
  do: Deed;
}

export type Deed =
  | "connect"
  | "list"
  | "add"
  | "badArguments"
  | "find"
  | "report"
  | "delete"
  | "cancel"
  | "shutdown"
  | "garbage"
  | "truncated"
  | "oversized"
  | "late"
  | "unknownId"
  | "stderr"
  | "silent"
  | "stubborn"
  | "exit";

export interface Setup {
  era: NonNullable<ClientConfig["era"]>;
  tolerance: "tolerant" | "strict";
  /** Milliseconds that a frame is under way. */
  delay: number;
}

export const SETUP: Setup = { era: "legacyFirst", tolerance: "tolerant", delay: 40 };

export interface Choice {
  deed: Deed;
  title: string;
  hint: string;
}

export const COMMANDS: readonly Choice[] = [
  { deed: "connect", title: "Connect", hint: "Start the server and shake hands" },
  { deed: "list", title: "List tools", hint: "tools/list" },
  { deed: "add", title: "Call add", hint: "A quick call" },
  { deed: "badArguments", title: "Call add wrongly", hint: "Arguments that the schema forbids" },
  { deed: "find", title: "Call find_notes", hint: "A call of 300 ms" },
  { deed: "report", title: "Call report", hint: "A call of 3 s that reports its progress" },
  { deed: "delete", title: "Call delete_notes", hint: "A destructive tool, without opt-in" },
  { deed: "cancel", title: "Cancel", hint: "Give up on the newest call that waits" },
  { deed: "shutdown", title: "Shut down", hint: "Close, wait, SIGTERM, SIGKILL" },
];

export const FAULTS: readonly Choice[] = [
  { deed: "garbage", title: "Garbage line", hint: "The server prints a banner on its output" },
  { deed: "truncated", title: "Cut message", hint: "Half a message, then a line end, in place of an answer" },
  { deed: "oversized", title: "Oversized line", hint: "80 kB where 64 kB are the limit, in place of an answer" },
  { deed: "late", title: "Late answer", hint: "The next answer comes after the call's patience" },
  { deed: "unknownId", title: "Foreign answer", hint: "An answer to a question nobody asked" },
  { deed: "stderr", title: "Diagnostics", hint: "A line on standard error" },
  { deed: "silent", title: "Silent server", hint: "From here on the server says nothing" },
  { deed: "stubborn", title: "Stubborn server", hint: "From here on it ignores a closed input and SIGTERM" },
  { deed: "exit", title: "Exit", hint: "The process ends with code 1" },
];

export interface Scenario {
  id: string;
  title: string;
  setup?: Partial<Setup>;
  actions: readonly Action[];
}

const OPENING: readonly Action[] = [
  { at: 0, do: "connect" },
  { at: 400, do: "list" },
];

export const SCENARIOS: readonly Scenario[] = [
  { id: "day", title: "A good day", actions: [...OPENING, { at: 800, do: "add" }, { at: 1_000, do: "report" }, { at: 1_100, do: "find" }, { at: 5_000, do: "shutdown" }] },
  { id: "modern", title: "The modern era, without a handshake", setup: { era: "modernFirst" }, actions: [...OPENING, { at: 800, do: "add" }, { at: 1_200, do: "shutdown" }] },
  { id: "noise", title: "Banners and cut messages", actions: [{ at: 100, do: "garbage" }, ...OPENING, { at: 200, do: "garbage" }, { at: 800, do: "find" }, { at: 900, do: "truncated" }, { at: 1_300, do: "add" }] },
  { id: "strict", title: "The same, strict", setup: { tolerance: "strict" }, actions: [...OPENING, { at: 800, do: "find" }, { at: 900, do: "garbage" }, { at: 1_500, do: "add" }] },
  { id: "oversized", title: "An answer too large to keep", actions: [...OPENING, { at: 800, do: "find" }, { at: 850, do: "add" }, { at: 900, do: "oversized" }] },
  { id: "late", title: "An answer that comes too late", actions: [...OPENING, { at: 700, do: "late" }, { at: 800, do: "find" }, { at: 900, do: "add" }] },
  { id: "silent", title: "A server that never speaks", actions: [{ at: 0, do: "connect" }, { at: 50, do: "silent" }] },
  { id: "exit", title: "An exit with calls waiting", actions: [...OPENING, { at: 800, do: "report" }, { at: 900, do: "find" }, { at: 1_000, do: "exit" }, { at: 1_500, do: "add" }] },
  { id: "stubborn", title: "A server that will not go", actions: [...OPENING, { at: 600, do: "stubborn" }, { at: 800, do: "shutdown" }] },
];

const MAX_ACTIONS = 500;
const MAX_TICK = 3_600_000;

/** Writes a session for a link. */
export function writeRun(setup: Setup, actions: readonly Action[]): string {
  return JSON.stringify([setup, actions.map(({ at, do: deed }) => [at, deed])]);
}

/** Reads a session from a link, which is foreign text. */
export function readRun(text: string): { setup: Setup; actions: Action[] } | undefined {
  try {
    const [setup, actions] = JSON.parse(text) as [Record<string, unknown>, unknown[][]];
    const known = [...COMMANDS, ...FAULTS].map(({ deed }) => deed);
    const read = actions.slice(0, MAX_ACTIONS).flatMap(([at, wanted]) => {
      const deed = known.find((one) => one === wanted);
      return deed && typeof at === "number" && at >= 0 && at <= MAX_TICK ? [{ at: Math.floor(at), do: deed }] : [];
    });
    const delay = typeof setup["delay"] === "number" ? Math.min(2_000, Math.max(0, Math.floor(setup["delay"]))) : SETUP.delay;
    return {
      setup: { era: setup["era"] === "modernFirst" ? "modernFirst" : "legacyFirst", tolerance: setup["tolerance"] === "strict" ? "strict" : "tolerant", delay },
      actions: read.sort((one, other) => one.at - other.at),
    };
  } catch {
    return undefined;
  }
}
