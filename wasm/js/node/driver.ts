// The loop that carries a client's effects out and brings it what the world did.

import { type Answer, type CallId, Client, type ClientConfig, type Effect, type Event } from "selvedge";
import type { Handshake, Outcome, Progress, Reason, Retirement } from "selvedge";
import { deferred } from "./deferred.js";
import { type Child, type ServerCommand, exitStatus, forget, openFailure, signalGroup, start, watch } from "./process.js";
import { AbortError, CallFailed } from "./errors.js";

/** Past this many bytes that the server has not read, calls wait for their turn. */
const MAX_OUTBOX_BYTES = 4 << 20;

interface Pending {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  onProgress: ((progress: Progress) => unknown) | undefined;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
}

/** What the owner of a driver is told. */
export interface Listener {
  /** The session can be used. */
  ready(handshake: Handshake): void;
  /** The session has ended. */
  closed(reason: Reason): void;
  /** Nothing is left of the server, or nothing that could be waited for. */
  retired(retirement: Retirement): void;
  /** Anything else, and these. */
  event(event: Event): void;
}

/** Calls what an application passed, and hands what it throws or rejects with to `failed`: the loop goes on. */
export function guarded<T>(callback: ((value: T) => unknown) | undefined, value: T, failed: (error: unknown) => void): void {
  try {
    const returned = callback?.(value);
    // Promises of other makes count too.
    if (typeof (returned as PromiseLike<unknown> | undefined)?.then === "function") Promise.resolve(returned).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** How one call is waited for. */
export interface Wait {
  /** Gives up on the call. */
  signal?: AbortSignal | undefined;
  /** Told how far the call is. */
  onProgress?: ((progress: Progress) => unknown) | undefined;
}

/** Owns a client and the process it talks to. */
export class Driver {
  /** The engine. */
  readonly client: Client;
  readonly #server: ServerCommand;
  readonly #listener: Listener;
  readonly #calls = new Map<CallId, Pending>();
  readonly #origin = performance.now();
  #child: Child | undefined;
  #hasExited = false;
  #outbox: Uint8Array[] = [];
  #outboxBytes = 0;
  #isFlushing = false;
  #timer: NodeJS.Timeout | undefined;
  #timerDue = Infinity;
  #room: (() => void)[] = [];

  constructor(server: ServerCommand, config: ClientConfig, listener: Listener) {
    this.client = new Client(config);
    this.#server = server;
    this.#listener = listener;
  }

  /** Has the server started. */
  connect(): void {
    this.client.connect(this.#now());
    this.#turn();
  }

  /** Ends the session; the server is retired then. */
  shutdown(): void {
    this.client.shutdown(this.#now());
    this.#turn();
  }

  /** Makes a call, when there is room for it, and waits for its end. */
  call(make: (client: Client, now: number) => CallId, wait: Wait): Promise<Answer> {
    if (wait.signal?.aborted) return Promise.reject(new AbortError(wait.signal));
    return this.#isFull() ? this.#callLater(make, wait) : this.#callNow(make, wait);
  }

  /** Does something that may make the client say something. */
  tell(act: (client: Client, now: number) => void): void {
    act(this.client, this.#now());
    this.#turn();
  }

  async #callLater(make: (client: Client, now: number) => CallId, wait: Wait): Promise<Answer> {
    const { signal } = wait;
    while (this.#isFull() && !signal?.aborted) {
      const { promise, resolve } = deferred<void>();
      const onAbort = () => resolve();
      this.#room.push(resolve);
      signal?.addEventListener("abort", onAbort, { once: true });
      await promise;
      signal?.removeEventListener("abort", onAbort);
    }
    return this.call(make, wait);
  }

  #callNow(make: (client: Client, now: number) => CallId, wait: Wait): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = make(this.client, this.#now());
      const { signal, onProgress } = wait;
      const onAbort = signal && (() => this.#cancel(call));
      signal?.addEventListener("abort", onAbort!, { once: true });
      this.#calls.set(call, { resolve, reject, onProgress, signal, onAbort });
      this.#turn();
    });
  }

  #cancel(call: CallId): void {
    this.client.cancel(this.#now(), call);
    this.#turn();
  }

  /** Ends a call with what a callback of its own threw; the server is told to stop. */
  #fail(call: CallId, error: unknown): void {
    this.#end(call)?.reject(error);
    this.#cancel(call);
  }

  /** Forgets a call that has ended. */
  #end(call: CallId): Pending | undefined {
    const pending = this.#calls.get(call);
    this.#calls.delete(call);
    if (pending?.onAbort) pending.signal?.removeEventListener("abort", pending.onAbort);
    return pending;
  }

  #now(): number {
    return performance.now() - this.#origin;
  }

  /** Carries out what the client wants, then waits for what comes next. */
  #turn(): void {
    for (let effect = this.client.pollEffect(); effect !== undefined; effect = this.client.pollEffect()) {
      this.#carryOut(effect);
    }
    this.#arm();
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "send":
        return this.#send(effect.bytes);
      case "event":
        return this.#happened(effect.event);
      case "open":
        return this.#open();
      case "closeInput":
        this.#flush();
        this.#child?.stdin.end();
        return;
      case "terminate":
        return this.#signal("SIGTERM");
      case "kill":
        return this.#signal("SIGKILL");
      default:
        effect satisfies never;
    }
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child) signalGroup(this.#child, signal);
  }

  #happened(event: Event): void {
    switch (event.kind) {
      case "settled":
        return this.#settled(event.call, event.outcome);
      case "progressed":
        guarded(this.#calls.get(event.call)?.onProgress, event.progress, (error) => this.#fail(event.call, error));
        break;
      case "ready":
        this.#listener.ready(event.handshake);
        break;
      case "closed":
        this.#listener.closed(event.reason);
        break;
      case "retired":
        this.#retire();
        this.#listener.retired(event);
        break;
      default:
    }
    this.#listener.event(event);
  }

  #settled(call: CallId, outcome: Outcome): void {
    const pending = this.#end(call);
    if (pending === undefined) return;
    if (outcome.ok) pending.resolve(outcome.answer);
    else if (outcome.error.kind === "cancelled" && pending.signal?.aborted) pending.reject(new AbortError(pending.signal));
    else pending.reject(new CallFailed(outcome.error));
  }

  #open(): void {
    let child: Child;
    try {
      child = start(this.#server);
    } catch (error) {
      // An argument that no process can be given.
      this.client.handleOpenFailed(this.#now(), "other", (error as Error).message);
      return;
    }
    this.#child = child;
    this.#hasExited = false;
    // A server may be replaced by another start of itself; from then on nothing of the first counts.
    const input = (handle: (client: Client, now: number) => void) => {
      if (this.#child === child) this.#input(handle);
    };
    child.once("spawn", () => {
      watch(child);
      input((client, now) => client.handleOpened(now));
    });
    child.once("error", (error) => {
      if (child.pid === undefined) {
        input((client, now) => client.handleOpenFailed(now, ...openFailure(this.#server, error)));
      }
    });
    child.once("exit", (code, signal) => {
      if (this.#child === child) this.#hasExited = true;
      input((client, now) => client.handleExited(now, exitStatus(code, signal)));
      forget(child);
    });
    child.stdout.on("data", (chunk: Buffer) => input((client, now) => client.handleBytes(now, chunk)));
    child.stdout.once("end", () => input((client, now) => client.handleEof(now)));
    child.stdout.once("error", () => input((client, now) => client.handleEof(now)));
    // Drained all the time: a server must never wait for somebody to read its diagnostics.
    child.stderr.on("data", (chunk: Buffer) => this.client.handleStderr(chunk));
    child.stderr.once("error", () => {});
    child.stdin.on("error", (error) => input((client, now) => client.handleWriteFailed(now, error.message)));
    child.stdin.on("drain", () => this.#drained());
  }

  #input(handle: (client: Client, now: number) => void): void {
    handle(this.client, this.#now());
    this.#turn();
  }

  #send(bytes: Uint8Array): void {
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // What many callers say in one turn goes out in one piece.
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushing = false;
    const stdin = this.#child?.stdin;
    const outbox = this.#outbox;
    if (outbox.length === 0) return;
    const bytes = outbox.length === 1 ? outbox[0]! : Buffer.concat(outbox, this.#outboxBytes);
    this.#outbox = [];
    this.#outboxBytes = 0;
    if (!stdin?.writable) return;
    // A server that does not read is not read from: otherwise both sides would only grow.
    if (!stdin.write(bytes) && this.#isFull()) this.#child?.stdout.pause();
  }

  #isFull(): boolean {
    const waiting = this.#child?.stdin.writable ? this.#child.stdin.writableLength : 0;
    return waiting + this.#outboxBytes > MAX_OUTBOX_BYTES;
  }

  #drained(): void {
    this.#child?.stdout.resume();
    this.#makeRoom();
  }

  #makeRoom(): void {
    const waiting = this.#room;
    this.#room = [];
    for (const resolve of waiting) resolve();
  }

  /** Keeps one timer; one that goes off early does nothing and is set anew. */
  #arm(): void {
    const due = this.client.pollTimeout() ?? Infinity;
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    this.#timer = setTimeout(() => this.#timeout(), Math.min(Math.max(Math.ceil(due - this.#now()), 0), 2 ** 31 - 1));
    // A session keeps its host alive by its streams, not by its deadlines; the ladder of an ending one does.
    if (this.client.state() === "ready") this.#timer.unref();
  }

  #timeout(): void {
    this.#timerDue = Infinity;
    this.#input((client, now) => client.handleTimeout(now));
  }

  #retire(): void {
    clearTimeout(this.#timer);
    this.#timerDue = -Infinity;
    const child = this.#child;
    if (child === undefined) return;
    // What the server started may hold the streams open; nobody reads them any more.
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    if (!this.#hasExited) child.unref();
    this.#makeRoom();
  }
}
