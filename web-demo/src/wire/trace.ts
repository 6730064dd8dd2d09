// A session that `selvedge --trace` recorded, played again: the recorded frames, and what the engine makes of them.

import { Client, type ClientConfig } from "selvedge/web";

import { clipped, type Entry, parse, summarize, type Timeline } from "./timeline.js";
import { Watcher } from "./watcher.js";

/** One line of the file. */
export interface Recorded {
  tick: number;
  what: "sent" | "received" | "stderr" | "closed" | "exited";
  text: string;
  isPartial: boolean;
  status: { code?: number; signal?: number };
}

const KINDS = ["sent", "received", "stderr", "closed", "exited"] as const;
const MAX_RECORDS = 20_000;
const OLDER = ["2024-11-05", "2025-03-26", "2025-06-18"] as const;

/** Reads a trace; a line that is none is refused with its number. */
export function readTrace(text: string): Recorded[] {
  const records: Recorded[] = [];
  let tick = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    if (records.length === MAX_RECORDS) throw new Error(`the trace has more than ${MAX_RECORDS} lines`);
    const record = readRecord(parse(line));
    if (!record) throw new Error(`line ${index + 1} is no line of a trace; each is an object with "tick" and "what", as --trace writes it`);
    if (record.what === "sent" && record.text.startsWith("Content-Length:")) throw new Error("it was recorded with --framing content-length; only lines can be replayed");
    // Bytes that were left when the session ended carry no time of their own.
    tick = Math.max(tick, record.tick);
    records.push({ ...record, tick });
  }
  if (records.length === 0) throw new Error("the file holds no trace");
  return records;
}

function readRecord(value: Record<string, unknown> | undefined): Recorded | undefined {
  const what = KINDS.find((kind) => kind === value?.["what"]);
  const tick = value?.["tick"];
  if (!value || !what || typeof tick !== "number" || !(tick >= 0)) return undefined;
  const status: Recorded["status"] = {};
  if (Number.isInteger(value["code"])) status.code = value["code"] as number;
  if (Number.isInteger(value["signal"])) status.signal = value["signal"] as number;
  const text = typeof value["text"] === "string" ? value["text"] : "";
  return { tick, what, text, isPartial: value["partial"] === true, status };
}

export class Replay implements Timeline {
  now = 0;
  readonly end: number;
  readonly #client: Client;
  readonly #watcher: Watcher;
  readonly #records: readonly Recorded[];
  readonly #mine: string[] = [];
  readonly #encoder = new TextEncoder();
  #at = 0;
  #process = "not started";
  #sent = 0;
  #same = 0;

  constructor(records: readonly Recorded[]) {
    this.#records = records;
    this.end = records.at(-1)?.tick ?? 0;
    const opening = records.find(({ what, text }) => what === "sent" && text.startsWith("{"));
    this.#client = new Client({ era: eraOf(parse(opening?.text ?? "")) });
    this.#watcher = new Watcher(this.#client);
    this.#stand();
  }

  get log(): readonly Entry[] {
    return this.#watcher.log;
  }

  get standings() {
    return this.#watcher.standings;
  }

  next(): number | undefined {
    const record = this.#records[this.#at];
    if (!record) return undefined;
    return Math.max(this.now, Math.min(record.tick, this.#client.pollTimeout() ?? Number.POSITIVE_INFINITY));
  }

  advance(to: number): void {
    for (let moment = this.next(); moment !== undefined && moment <= to; moment = this.next()) {
      this.now = moment;
      const record = this.#records[this.#at];
      if (record && record.tick <= moment) {
        this.#at += 1;
        this.#take(record);
      } else {
        this.#client.handleTimeout(moment);
      }
      this.#drain();
      this.#stand();
    }
    this.now = Math.max(this.now, to);
  }

  free(): void {
    this.#client.free();
  }

  #stand(): void {
    this.#watcher.stand(this.now, this.#process, 0);
  }

  #take(record: Recorded): void {
    const { what, text } = record;
    if (what === "sent") return this.#wrote(text);
    if (what === "closed") {
      this.#watcher.add({ at: this.now, side: "client", kind: "effect", title: "its input was closed", tone: "plain" });
      this.#client.shutdown(this.now);
      return;
    }
    if (what === "exited") return this.#exited(record);
    const bytes = this.#encoder.encode(record.isPartial ? text : `${text}\n`);
    if (what === "stderr") {
      this.#watcher.add({ at: this.now, side: "server", kind: "event", title: text.slice(0, 120), note: "standard error", tone: "plain", text: clipped(text) });
      this.#client.handleStderr(bytes);
      return;
    }
    this.#watcher.add({ at: this.now, side: "wire", kind: "frame", way: "down", arrives: this.now, ...summarize(text), text: clipped(text) });
    this.#client.handleBytes(this.now, bytes);
  }

  /** Has the engine do what the application did then, and compares what it writes. */
  #wrote(text: string): void {
    const message = parse(text);
    // What the engine writes by itself needs nobody who asks for it.
    if (message && this.#mine[0] !== text) this.#tryAs(message);
    this.#drain();
    const mine = this.#mine.shift();
    const isSame = mine === text;
    if (message) {
      this.#sent += 1;
      this.#same += isSame ? 1 : 0;
    }
    const said = summarize(text);
    const note = message && !isSame ? `${said.note ?? ""}; this engine would write it otherwise` : (said.note ?? "");
    this.#watcher.add({ at: this.now, side: "wire", kind: "frame", way: "up", arrives: this.now, ...said, note, text: clipped(text) });
  }

  #tryAs(message: Record<string, unknown>): void {
    try {
      this.#as(message);
    } catch (error) {
      this.#watcher.add({ at: this.now, side: "client", kind: "command", title: `not possible: ${(error as Error).message}`, tone: "warn" });
    }
  }

  #as(message: Record<string, unknown>): void {
    const { method, id } = message;
    const params = (message["params"] ?? {}) as Record<string, unknown>;
    if (this.#process === "not started") {
      this.#process = "running";
      this.#client.connect(this.now);
      this.#client.handleOpened(this.now);
      return;
    }
    if (method === "notifications/cancelled") return this.#client.cancel(this.now, Number(params["requestId"]));
    // Answers, notifications and further pages are written by the engine itself.
    if (id === undefined || typeof method !== "string" || method === "initialize" || params["cursor"] !== undefined) return;
    this.#watcher.called(this.now, this.#request(method, params), `${method} ${String(params["name"] ?? "")}`);
  }

  #request(method: string, params: Record<string, unknown>): number {
    const { _meta: meta, ...rest } = params;
    const progress = (meta as { progressToken?: unknown } | undefined)?.progressToken !== undefined;
    if (method === "tools/list") return this.#client.listTools(this.now);
    if (method !== "tools/call") return this.#client.request(this.now, method, JSON.stringify(rest), { progress });
    return this.#client.callTool(this.now, String(params["name"]), JSON.stringify(params["arguments"] ?? {}), { progress, unchecked: true });
  }

  #exited({ status }: Recorded): void {
    const how = status.signal === undefined ? `exited, code ${status.code ?? "unknown"}` : `ended by signal ${status.signal}`;
    this.#process = how;
    this.#watcher.add({ at: this.now, side: "server", kind: "process", title: `the process ${how}`, tone: status.code === 0 ? "plain" : "bad" });
    if (this.#sent > 0) {
      const title = `${this.#same} of ${this.#sent} recorded messages are the same`;
      const note = "what this engine writes, byte for byte";
      this.#watcher.add({ at: this.now, side: "client", kind: "command", title, note, tone: this.#same === this.#sent ? "good" : "warn" });
    }
    this.#client.handleEof(this.now);
    this.#client.handleExited(this.now, status);
  }

  #drain(): void {
    for (let effect = this.#client.pollEffect(); effect; effect = this.#client.pollEffect()) {
      if (effect.kind === "send") this.#mine.push(...new TextDecoder().decode(effect.bytes).split("\n").filter((line) => line !== ""));
      // Effects are what that host did; its record shows what came of them.
      else if (effect.kind === "event") this.#watcher.effect(this.now, effect);
    }
  }
}

/** Tells from the first message how the client was told to begin. */
function eraOf(opening: Record<string, unknown> | undefined): NonNullable<ClientConfig["era"]> {
  if (opening?.["method"] !== "initialize") return "modernFirst";
  const { protocolVersion } = (opening["params"] ?? {}) as { protocolVersion?: unknown };
  // A client that may choose begins with the newest that shakes hands.
  return OLDER.find((revision) => revision === protocolVersion) ?? "legacyFirst";
}
