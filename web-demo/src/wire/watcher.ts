// Follows a client: what it tells becomes entries of the log, rows of calls, standings.

import type { Client, Effect, Event, Outcome } from "selvedge/web";

import { type CallRow, type Entry, shown, type Standing, type Tone } from "./timeline.js";

export class Watcher {
  readonly log: Entry[] = [];
  readonly standings: Standing[] = [];
  #calls: CallRow[] = [];

  constructor(readonly client: Client) {}

  add(entry: Entry): void {
    this.log.push(entry);
  }

  called(at: number, call: number, what: string): void {
    this.#calls = [...this.#calls, { call, what, since: at }];
  }

  /** Notes what the client told or wants, other than to send. */
  effect(at: number, effect: Exclude<Effect, { kind: "send" }>): void {
    if (effect.kind === "event") return this.#event(at, effect.event);
    const titles = { open: "start the server", closeInput: "close its input", terminate: "end it: SIGTERM", kill: "end it: SIGKILL" };
    const tone = effect.kind === "kill" || effect.kind === "terminate" ? "warn" : "plain";
    this.add({ at, side: "client", kind: "effect", title: titles[effect.kind], note: `effect ${effect.kind}`, tone });
  }

  #event(at: number, event: Event): void {
    if (event.kind === "settled") this.#settled(at, event.call, event.outcome);
    const { title, tone } = told(event);
    this.add({ at, side: "client", kind: "event", title, note: `event ${event.kind}`, tone, text: shown(event) });
  }

  #settled(at: number, call: number, outcome: Outcome): void {
    const verdict = ended(outcome);
    this.#calls = this.#calls.map((row) => (row.call === call ? { ...row, ended: at, outcome: verdict.title, tone: verdict.tone } : row));
  }

  /** Notes how both sides stand. */
  stand(at: number, process: string, served: number): void {
    const { lines, bytes } = this.client.stray();
    const standing: Standing = {
      at,
      state: this.client.state(),
      inFlight: this.client.callsInFlight(),
      stray: lines,
      strayBytes: bytes,
      process,
      served,
      calls: this.#calls,
    };
    const handshake = this.client.handshake();
    const wake = this.client.pollTimeout();
    const reason = this.client.reason();
    if (handshake) standing.revision = handshake.revision;
    if (wake !== undefined && wake !== null) standing.wake = wake;
    if (reason) standing.reason = reason.message;
    this.standings.push(standing);
  }
}

/** Says an event in a few words. */
function told(event: Event): { title: string; tone: Tone } {
  switch (event.kind) {
    case "ready":
      return { title: `ready: ${event.handshake.server.name} speaks ${event.handshake.revision}`, tone: "good" };
    case "settled": {
      const { title, tone } = ended(event.outcome);
      return { title: `call #${event.call} ended: ${title}`, tone };
    }
    case "progressed":
      return { title: `call #${event.call} goes on: ${percent(event.progress.share) ?? event.progress.message ?? ""}`, tone: "plain" };
    case "peerViolated":
      return { title: event.violation.message, tone: "warn" };
    case "peerErrored":
      return { title: `the server reports: ${event.error.message}`, tone: "warn" };
    case "closed":
      return { title: `the session is over: ${event.reason.message}`, tone: event.reason.kind === "shutDown" ? "plain" : "bad" };
    case "retired":
      return event.ok ? { title: `retired: ${evidence(event)}`, tone: "good" } : { title: event.error.message, tone: "bad" };
    case "replaced":
      return { title: `the server is started anew: ${event.reason.message}`, tone: "warn" };
    case "logged":
      return { title: `the server logs: ${event.raw}`, tone: "plain" };
    default:
      return { title: event.kind, tone: "plain" };
  }
}

function evidence(event: Extract<Event, { kind: "retired"; ok: true }>): string {
  if (event.evidence.kind !== "exited") return "nothing was ever started";
  const { code, signal } = event.evidence.status;
  return signal === undefined ? `it exited with code ${code ?? "unknown"}` : `it was ended by signal ${signal}`;
}

function ended(outcome: Outcome): { title: string; tone: Tone } {
  if (!outcome.ok) return { title: outcome.error.message, tone: "bad" };
  const { answer } = outcome;
  if (answer.kind === "tools") return { title: `${answer.listing.items.length} tools`, tone: "good" };
  return { title: answer.kind === "called" ? "an answer" : answer.kind, tone: "good" };
}

function percent(share: number | undefined): string | undefined {
  return share === undefined ? undefined : `${Math.round(share * 100)} %`;
}
