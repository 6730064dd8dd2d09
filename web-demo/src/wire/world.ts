// A client and a server, both the engine, with a wire and a process between them, in time that the page makes.
//
// Nothing here reads a clock or is random: the same setup and deeds give the same session, so the page can turn
// time back by beginning again.

import { Client, type Effect, Server, type ServerEffect, type ServerEvent } from "selvedge/web";

import type { Action, Deed, Setup } from "./actions.js";
import { clipped, type Entry, shown, summarize, type Timeline } from "./timeline.js";
import { result, TOOLS, work } from "./tools.js";
import { Watcher } from "./watcher.js";

/** What a message may weigh here; small, so that a line that is too long can be seen. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const PATIENCE = 5_000;
const STARTUP = 120;
const PROGRESS_STEP = 600;
/** How long a server that was told to go takes for it. */
const LEAVING = 30;
/** A session that does more than this at one moment is broken. */
const MAX_TURNS = 10_000;

interface Due {
  at: number;
  run(): void;
}

type Process = { kind: "none" } | { kind: "starting" } | { kind: "running" } | { kind: "gone"; how: string };

export class World implements Timeline {
  now = 0;
  readonly end = undefined;
  readonly #client: Client;
  readonly #watcher: Watcher;
  #server: Server | undefined;
  readonly #due: Due[] = [];
  #done = 0; // deeds
  readonly #waiting = new Set<number>();
  readonly #encoder = new TextEncoder();
  #process: Process = { kind: "none" };
  #isSilent = false;
  #isStubborn = false;
  #isNextLate = false;

  constructor(readonly setup: Setup, readonly actions: readonly Action[]) {
    this.#client = new Client({
      era: setup.era,
      tolerance: setup.tolerance,
      handshakeTimeout: PATIENCE,
      probeTimeout: 2_000,
      patience: { idle: PATIENCE, total: 20_000 },
      limits: { maxMessageBytes: MAX_MESSAGE_BYTES },
    });
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
    const moments = [this.actions[this.#done]?.at, this.#due[0]?.at, this.#client.pollTimeout(), this.#server?.pollTimeout()];
    const known = moments.filter((moment) => moment !== undefined && moment !== null);
    return known.length === 0 ? undefined : Math.max(this.now, Math.min(...known));
  }

  advance(to: number): void {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const moment = this.next();
      if (moment === undefined || moment > to) break;
      this.now = moment;
      this.#turn();
    }
    this.now = Math.max(this.now, to);
  }

  free(): void {
    this.#client.free();
    this.#server?.free();
  }

  #turn(): void {
    const due = this.#due[0];
    const deed = this.actions[this.#done];
    if (due && due.at <= this.now) {
      this.#due.shift();
      due.run();
    } else if (deed && deed.at <= this.now && !this.#isOverdue()) {
      // The person saw all of this moment before they did something in it.
      this.#done += 1;
      this.#do(deed.do);
    } else {
      this.#client.handleTimeout(this.now);
      this.#server?.handleTimeout(this.now);
    }
    this.#drain();
    this.#stand();
  }

  #isOverdue(): boolean {
    const timers = [this.#client.pollTimeout(), this.#server?.pollTimeout()];
    return timers.some((at) => at !== undefined && at !== null && at <= this.now);
  }

  #stand(): void {
    const { kind } = this.#process;
    const process = this.#process.kind === "gone" ? this.#process.how : { none: "not started", starting: "starting", running: "running" }[kind as "none"];
    const moods = [this.#isSilent && "silent", this.#isStubborn && "stubborn"].filter(Boolean).join(", ");
    const isThere = kind === "running" || kind === "starting";
    this.#watcher.stand(this.now, isThere && moods ? `${process}, ${moods}` : process, this.#server?.callsInFlight() ?? 0);
  }

  /** Puts something on the calendar, behind what is there for the same moment. */
  #later(at: number, run: () => void): void {
    const before = this.#due.findIndex((due) => due.at > at);
    this.#due.splice(before < 0 ? this.#due.length : before, 0, { at, run });
  }

  #drain(): void {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const wanted = this.#client.pollEffect();
      if (wanted) {
        this.#carryOut(wanted);
        continue;
      }
      const served = this.#server?.pollEffect();
      if (!served) return;
      this.#serve(served);
    }
  }

  // What the client wants.

  #carryOut(effect: Effect): void {
    if (effect.kind === "send") return this.#up(effect.bytes);
    this.#watcher.effect(this.now, effect);
    if (effect.kind === "event" && effect.event.kind === "settled") this.#waiting.delete(effect.event.call);
    if (effect.kind === "open") this.#open();
    if (effect.kind === "closeInput") this.#later(this.now + this.setup.delay, () => this.#inputClosed());
    if (effect.kind === "terminate" && !this.#isStubborn) this.#later(this.now + LEAVING, () => this.#exit({ signal: 15 }));
    if (effect.kind === "kill") this.#later(this.now + 1, () => this.#exit({ signal: 9 }));
  }

  #open(): void {
    this.#process = { kind: "starting" };
    this.#later(this.now + STARTUP, () => {
      if (this.#process.kind !== "starting") return;
      this.#process = { kind: "running" };
      this.#server?.free();
      this.#server = new Server({ implementation: { name: "notes", version: "1.4.0" }, tools: TOOLS });
      this.#tell("process", "the process runs", "");
      this.#client.handleOpened(this.now);
    });
  }

  #up(bytes: Uint8Array): void {
    const arrives = this.now + this.setup.delay;
    this.#frame("up", bytes, arrives);
    this.#later(arrives, () => {
      if (this.#process.kind === "running" && !this.#isSilent) this.#server?.handleBytes(this.now, bytes);
    });
  }

  #inputClosed(): void {
    if (this.#process.kind !== "running") return;
    this.#server?.handleEof(this.now);
    if (!this.#isSilent && !this.#isStubborn) this.#later(this.now + LEAVING, () => this.#exit({ code: 0 }));
  }

  // What the server wants.

  #serve(effect: ServerEffect): void {
    if (effect.kind === "send") return this.#down(effect.bytes);
    this.#served(effect.event);
  }

  #served(event: ServerEvent): void {
    const { title, note } = heard(event);
    this.#watcher.add({ at: this.now, side: "server", kind: "event", title, note, tone: event.kind === "peerViolated" ? "warn" : "plain", text: shown(event) });
    if (event.kind !== "requested" || event.request.kind !== "callTool") return;
    const { call, request, context } = event;
    const isLate = this.#isNextLate;
    this.#isNextLate = false;
    const needs = isLate ? PATIENCE + 1_000 : work(request.name);
    if (context.wantsProgress && !isLate) this.#progress(call, this.now + PROGRESS_STEP, this.now, this.now + needs);
    const text = result(request.name, request.raw);
    this.#later(this.now + needs, () => this.#answer(call, context.id, text));
  }

  /** Answers; a server that was told not to bother answers all the same, as many in the field do. */
  #answer(call: number, id: string, text: string): void {
    try {
      this.#server?.answer(this.now, call, { result: text });
    } catch {
      this.#down(this.#encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":${text}}\n`), "an answer, too late");
    }
  }

  #progress(call: number, at: number, from: number, until: number): void {
    if (at >= until) return;
    this.#later(at, () => {
      if (!this.#report(call, at - from, until - from)) return;
      this.#progress(call, at + PROGRESS_STEP, from, until);
    });
  }

  #report(call: number, done: number, total: number): boolean {
    try {
      this.#server?.reportProgress(this.now, call, done, total, "writing");
      return true;
    } catch {
      return false; // Nobody waits any more.
    }
  }

  #down(bytes: Uint8Array, title?: string): void {
    if (this.#isSilent || this.#process.kind !== "running") return;
    const arrives = this.now + this.setup.delay;
    this.#frame("down", bytes, arrives, title);
    this.#later(arrives, () => this.#client.handleBytes(this.now, bytes));
  }

  #exit(status: { code?: number; signal?: number }): void {
    if (this.#process.kind !== "running" && this.#process.kind !== "starting") return;
    const how = status.signal === undefined ? `exited, code ${status.code}` : `ended by signal ${status.signal}`;
    this.#process = { kind: "gone", how };
    this.#tell("process", `the process ${how.startsWith("ended") ? "was " : ""}${how}`, "", status.code === 0 ? "plain" : "bad");
    this.#server?.free();
    this.#server = undefined;
    // What was under way comes first.
    this.#later(this.now + this.setup.delay, () => {
      this.#client.handleEof(this.now);
      this.#client.handleExited(this.now, status);
    });
  }

  // What the person does.

  #do(deed: Deed): void {
    const now = this.now;
    const client = this.#client;
    const deeds: Record<Deed, () => void> = {
      connect: () => client.connect(now),
      list: () => this.#called("tools/list", client.listTools(now)),
      add: () => this.#call("add", { a: 2, b: 40 }),
      badArguments: () => this.#call("add", { a: "two", b: 40 }),
      find: () => this.#call("find_notes", { query: "selvedge", limit: 3 }),
      report: () => this.#call("report", { steps: 5 }),
      delete: () => this.#call("delete_notes", { ids: ["n1"] }),
      cancel: () => this.#cancel(),
      shutdown: () => client.shutdown(now),
      garbage: () => this.#write("notes server v1.4.0 listening on stdio\n", "a banner"),
      truncated: () => this.#write(`{"jsonrpc":"2.0","id":${this.#oldest()},"result":{"content":[{"type":"te\n`, "half a message"),
      oversized: () => this.#write(this.#large(), "80 kB in one line"),
      late: () => (this.#isNextLate = true),
      unknownId: () => this.#write('{"jsonrpc":"2.0","id":9999,"result":{}}\n', "an answer to nobody"),
      stderr: () => client.handleStderr(this.#encoder.encode("warning: cache is cold\n")),
      silent: () => (this.#isSilent = true),
      stubborn: () => (this.#isStubborn = true),
      exit: () => this.#exit({ code: 1 }),
    };
    this.#tell(isCommand(deed) ? "command" : "fault", TITLES[deed], "");
    this.#try(deeds[deed]);
  }

  #call(name: string, given: object): void {
    this.#called(name, this.#client.callTool(this.now, name, JSON.stringify(given), { progress: true }));
  }

  #called(what: string, call: number): void {
    this.#waiting.add(call);
    this.#watcher.called(this.now, call, what);
  }

  #cancel(): void {
    const newest = [...this.#waiting].at(-1);
    if (newest === undefined) throw new Error("no call waits");
    this.#client.cancel(this.now, newest);
  }

  #oldest(): number {
    return this.#waiting.values().next().value ?? 9_999;
  }

  #large(): string {
    return `{"jsonrpc":"2.0","id":${this.#oldest()},"result":{"content":[{"type":"text","text":"${"x".repeat(80_000)}"}]}}\n`;
  }

  #write(line: string, title: string): void {
    if (this.#process.kind !== "running") throw new Error("the server does not run");
    this.#down(this.#encoder.encode(line), title);
  }

  /** Says what the engine says to a wrong command; it is part of what can be seen here. */
  #try(deed: () => void): void {
    try {
      deed();
    } catch (error) {
      this.#tell("command", `not possible: ${(error as Error).message}`, "", "warn");
    }
  }

  #tell(kind: "command" | "fault" | "process", title: string, note: string, tone: Entry["tone"] = kind === "fault" ? "warn" : "plain"): void {
    const side = kind === "command" ? "client" : "server";
    this.#watcher.add({ at: this.now, side, kind, title, tone, ...(note ? { note } : {}) });
  }

  #frame(way: "up" | "down", bytes: Uint8Array, arrives: number, title?: string): void {
    const text = new TextDecoder().decode(bytes).trimEnd();
    const said = title === undefined ? summarize(text) : { title, note: text.slice(0, 60), tone: "warn" as const };
    const size = `${bytes.length} bytes`;
    this.#watcher.add({ at: this.now, side: "wire", kind: "frame", way, arrives, ...said, note: said.note ? `${said.note}, ${size}` : size, text: clipped(text) });
  }
}

const TITLES: Record<Deed, string> = {
  connect: "connect",
  list: "listTools",
  add: "callTool add",
  badArguments: "callTool add, wrongly",
  find: "callTool find_notes",
  report: "callTool report",
  delete: "callTool delete_notes",
  cancel: "cancel the newest call",
  shutdown: "shutdown",
  garbage: "prints a banner",
  truncated: "writes half a message",
  oversized: "writes a line that is too long",
  late: "will be late with its next answer",
  unknownId: "answers a question nobody asked",
  stderr: "writes a diagnostic",
  silent: "falls silent",
  stubborn: "ignores requests to end",
  exit: "crashes",
};

function isCommand(deed: Deed): boolean {
  return ["connect", "list", "add", "badArguments", "find", "report", "delete", "cancel", "shutdown"].includes(deed);
}

function heard(event: ServerEvent): { title: string; note: string } {
  const note = `event ${event.kind}`;
  if (event.kind === "initialized") return { title: `${event.client.name} has shaken hands`, note };
  if (event.kind === "requested") {
    const { request } = event;
    return { title: request.kind === "callTool" ? `is asked for ${request.name}` : request.kind, note };
  }
  if (event.kind === "cancelled") return { title: "nobody waits for the answer any more", note };
  if (event.kind === "closed") return { title: "its input is closed", note };
  return { title: event.kind === "peerViolated" ? event.violation.message : event.kind, note };
}
