// One session with one server, for programs under Node.

import { type Answer, type CallOptions, type Client, type ClientConfig, type Completion } from "selvedge";
import { type Event, type Evidence, type GenerateOptions, type Generated, generate } from "selvedge";
import type { Handshake, Listing, Offered, Progress, Prompt, PromptResult, ReadResult } from "selvedge";
import type { Reason, Resource, ResourceTemplate, Retirement, Stray, Tool } from "selvedge";
import { deferred } from "./deferred.js";
import { Driver, guarded } from "./driver.js";
import { CallFailed, ConnectError, HarnessError, RetirementFailed } from "./errors.js";
import type { ServerCommand } from "./process.js";
import { ToolAnswer } from "./result.js";
import type { Answer as InvokeAnswer, Fault, Invoke } from "./support.js";

/** Answers what a server asks: takes the parameters, returns the result object. */
export type Handler = (params: unknown, signal: AbortSignal) => Promise<object> | object;

/** What is connected to, and how. */
export interface ConnectOptions extends ServerCommand {
  /** How the client behaves. What it offers a server follows `handlers`. */
  config?: Omit<ClientConfig, "offers">;
  /** What a server may ask; nothing by default. */
  handlers?: Partial<Record<Offered, Handler>>;
  /** Told of everything that happens. */
  onEvent?: (event: Event) => void;
  /** Gives up on connecting. */
  signal?: AbortSignal;
}

/** How one call is made. */
export interface CallSettings {
  /** Gives up on the call; the server is told. */
  signal?: AbortSignal;
  /** Told how far the call is; the server is asked for it where this is there. */
  onProgress?: (progress: Progress) => void;
  /** The milliseconds without an answer, or since the last progress. Default 60 000. */
  timeout?: number;
  /** The milliseconds in all, whatever progress is made. Default 600 000. */
  totalTimeout?: number;
}

/**
 * Starts a server and shakes hands with it.
 *
 * Rejects with a {@link ConnectError} when there is no session; nothing is left of the server then.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  options.signal?.throwIfAborted();
  const connection = new Connection(options);
  await connection[OPEN](options.signal);
  return connection;
}

const OPEN = Symbol("open");


type Make = (client: Client, now: number, options: CallOptions | undefined) => number;

/** A session with a server. Closing it, or leaving an `await using` block, retires the server with evidence. */
export class Connection implements AsyncDisposable {
  readonly #driver: Driver;
  readonly #options: ConnectOptions;
  readonly #asks = new Map<number, AbortController>();
  readonly #opened = deferred<Handshake>();
  readonly #retired = deferred<Retirement>();

  constructor(options: ConnectOptions) {
    const handlers = options.handlers ?? {};
    const offered = Object.entries(handlers).filter(([, handler]) => handler !== undefined);
    const offers = Object.fromEntries(offered.map(([name]) => [name, true]));
    this.#options = options;
    this.#driver = new Driver(options, { ...options.config, offers }, {
      ready: (handshake) => this.#opened.resolve(handshake),
      closed: (reason) => this.#closed(reason),
      retired: (retirement) => this.#retired.resolve(retirement),
      event: (event) => this.#happened(event),
    });
  }

  async [OPEN](signal: AbortSignal | undefined): Promise<void> {
    const onAbort = () => this.#driver.shutdown();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#driver.connect();
    try {
      await this.#opened.promise;
    } catch (error) {
      await this.#retired.promise;
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** What the handshake settled. */
  get handshake(): Handshake {
    return this.#driver.client.handshake()!;
  }

  /** Why the session ended; `undefined` while it lasts. */
  get reason(): Reason | undefined {
    return this.#driver.client.reason();
  }

  /** What the server wrote that is no message. */
  get stray(): Stray {
    return this.#driver.client.stray();
  }

  /** The newest text of the server's diagnostic stream. */
  get stderrTail(): string {
    return this.#driver.client.stderrTail();
  }

  /** Lists all tools. */
  async listTools(settings?: CallSettings): Promise<Listing<Tool>> {
    const answer = await this.#call((client, now, options) => client.listTools(now, options), settings);
    return answer.kind === "tools" ? answer.listing : unexpected(answer);
  }

  /**
   * Calls a tool. A tool that says that it failed rejects with a {@link CallFailed} of code `toolFailed`.
   */
  async callTool(name: string, args: object = {}, settings?: CallSettings): Promise<ToolAnswer> {
    const text = write(args);
    const answer = await this.#call((client, now, options) => client.callTool(now, name, text, options), settings);
    return answer.kind === "called" ? new ToolAnswer(answer.result) : unexpected(answer);
  }

  async listResources(settings?: CallSettings): Promise<Listing<Resource>> {
    const answer = await this.#call((client, now, options) => client.listResources(now, options), settings);
    return answer.kind === "resources" ? answer.listing : unexpected(answer);
  }

  async listResourceTemplates(settings?: CallSettings): Promise<Listing<ResourceTemplate>> {
    const answer = await this.#call((client, now, options) => client.listResourceTemplates(now, options), settings);
    return answer.kind === "resourceTemplates" ? answer.listing : unexpected(answer);
  }

  async listPrompts(settings?: CallSettings): Promise<Listing<Prompt>> {
    const answer = await this.#call((client, now, options) => client.listPrompts(now, options), settings);
    return answer.kind === "prompts" ? answer.listing : unexpected(answer);
  }

  async readResource(uri: string, settings?: CallSettings): Promise<ReadResult> {
    const answer = await this.#call((client, now, options) => client.readResource(now, uri, options), settings);
    return answer.kind === "resource" ? answer.result : unexpected(answer);
  }

  async getPrompt(name: string, args: Record<string, string> = {}, settings?: CallSettings): Promise<PromptResult> {
    const text = write(args);
    const answer = await this.#call((client, now, options) => client.getPrompt(now, name, text, options), settings);
    return answer.kind === "prompt" ? answer.result : unexpected(answer);
  }

  /** Completes an argument: `reference` is the `ref` and `argument` the `argument` of `completion/complete`. */
  async complete(reference: object, argument: object, settings?: CallSettings): Promise<Completion> {
    const texts = [write(reference), write(argument)] as const;
    const answer = await this.#call((client, now, options) => client.complete(now, ...texts, options), settings);
    return answer.kind === "completion" ? answer.result : unexpected(answer);
  }

  async subscribe(uri: string, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.subscribe(now, uri, options), settings);
  }

  async unsubscribe(uri: string, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.unsubscribe(now, uri, options), settings);
  }

  async setLogLevel(level: string, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.setLogLevel(now, level, options), settings);
  }

  async ping(settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.ping(now, options), settings);
  }

  /** Makes any other request; the result comes as the text that the server wrote. */
  async request(method: string, params: object = {}, settings?: CallSettings): Promise<string> {
    const text = write(params);
    const answer = await this.#call((client, now, options) => client.request(now, method, text, options), settings);
    return answer.kind === "raw" ? answer.result : unexpected(answer);
  }

  /** Generates a module from what the server lists. The server's own name is used where `server` is absent. */
  async generate(options: GenerateOptions = {}, settings?: CallSettings): Promise<Generated> {
    const listing = await this.listTools(settings);
    const text = `[${listing.items.map((tool) => tool.raw).join(",")}]`;
    return generate(text, { server: this.serverName, ...options });
  }

  /** The name that the server gave itself, or `server`. */
  get serverName(): string {
    return this.handshake.server.name || "server";
  }

  /** Carries the calls of generated modules: `new Tools(connection.invoke)`. */
  readonly invoke: Invoke = async (_server, tool, args) => {
    try {
      return toInvoked(await this.callTool(tool, args));
    } catch (error) {
      return toFault(error);
    }
  };

  /**
   * Ends the session: what waits is settled, the server's input is closed; a server that stays is asked to end,
   * then killed, with its whole process group. Returns what was seen of its end. Once is enough.
   */
  async close(): Promise<Evidence> {
    this.#driver.shutdown();
    const retirement = await this.#retired.promise;
    if (retirement.ok) return retirement.evidence;
    throw new RetirementFailed(retirement.error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(make: Make, settings: CallSettings | undefined): Promise<Answer> {
    const options = settings && callOptions(settings);
    return this.#driver.call((client, now) => make(client, now, options), settings ?? {});
  }

  #closed(reason: Reason): void {
    this.#opened.reject(new ConnectError(reason, this.stderrTail));
  }

  #happened(event: Event): void {
    if (event.kind === "asked") void this.#answer(event.ask, event.what, event.params);
    if (event.kind === "askWithdrawn" && event.ask !== undefined) this.#asks.get(event.ask)?.abort();
    guarded(this.#options.onEvent, event);
  }

  async #answer(ask: number, what: Offered, params: string): Promise<void> {
    const controller = new AbortController();
    this.#asks.set(ask, controller);
    let answer: { result: string } | { error: { code: number; message: string } };
    try {
      answer = { result: write(await this.#options.handlers![what]!(JSON.parse(params), controller.signal)) };
    } catch (error) {
      answer = { error: { code: -32603, message: error instanceof Error ? error.message : String(error) } };
    }
    this.#asks.delete(ask);
    if (!controller.signal.aborted) this.#driver.tell((client, now) => client.answerAsk(now, ask, answer));
  }
}

function callOptions(settings: CallSettings): CallOptions | undefined {
  const { onProgress, timeout, totalTimeout } = settings;
  if (onProgress === undefined && timeout === undefined && totalTimeout === undefined) return undefined;
  const patience = {
    ...(timeout === undefined ? {} : { idle: timeout }),
    ...(totalTimeout === undefined ? {} : { total: totalTimeout }),
  };
  return { progress: onProgress !== undefined, patience };
}

function write(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new HarnessError("notJson", `this cannot be written as JSON: ${(error as Error).message}`, { cause: error });
  }
}

function unexpected(answer: Answer): never {
  throw new HarnessError("unexpected", `the engine settled the call with ${answer.kind}`);
}

function toInvoked(answer: ToolAnswer): InvokeAnswer {
  return { content: answer.content, structured: answer.structuredContent };
}

function toFault(error: unknown): InvokeAnswer | Fault {
  if (!(error instanceof CallFailed)) {
    // Arguments that the engine refuses reach no server.
    const { code, message } = error as { code?: unknown; message: string };
    if (typeof code !== "string") throw error;
    return { code, message };
  }
  const { error: failed } = error;
  if (failed.kind === "badResult") {
    const { pointer, expected, found } = failed.mismatch;
    const mismatch = { path: pointer, reason: `expected ${expected}, found ${found}` };
    return { ...toInvoked(new ToolAnswer(failed.result)), mismatch };
  }
  if (failed.kind === "toolFailed") return { ...toInvoked(new ToolAnswer(failed.result)), isError: true };
  if (failed.kind === "unavailable") return { code: "mcp_unavailable", message: failed.message };
  return { code: failed.kind, message: failed.message };
}
