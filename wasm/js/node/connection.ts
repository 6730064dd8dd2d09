// One session with one server, for programs under Node.

import { type Answer, type AskAnswer, type CallOptions, type Client, type ClientConfig, SelvedgeError } from "selvedge";
import { type Completion, type Event, type Evidence, type GenerateOptions, type Generated, generate } from "selvedge";
import type { Handshake, Json, JsonObject, JsonObjectInput, Listing, LogLevel, Offered, Progress, Prompt } from "selvedge";
import type { PromptResult, ReadResult, Reason, Resource, ResourceTemplate, Retirement, Stray, Tool } from "selvedge";
import { object } from "@door";
import { deferred } from "./deferred.js";
import { Driver, guarded } from "./driver.js";
import { AbortError, CallFailed, ConnectError, RetirementFailed } from "./errors.js";
import { callOptions, checkConnect, checkRequest, checkSettings } from "./options.js";
import type { ServerCommand } from "./process.js";
import { ToolAnswer } from "./result.js";
import type { Answer as InvokeAnswer, Fault, Invoke } from "./support.js";

/**
 * Answers what a server asks: takes the parameters, returns the result, an object. `signal` aborts when the server does
 * not want the answer any more. What it throws goes to the server as an error with its message.
 */
export type Handler = (params: JsonObject, signal: AbortSignal) => Promise<JsonObjectInput> | JsonObjectInput;

/** What is connected to, and how. */
export interface ConnectOptions extends ServerCommand {
  /** How the client behaves. What it offers a server follows `handlers`. */
  config?: Omit<ClientConfig, "offers">;
  /** What a server may ask; nothing by default. */
  handlers?: Partial<Record<Offered, Handler>>;
  /** Told of everything that happens, the ends of calls apart. What it throws becomes a warning of the process, and stops nothing. */
  onEvent?: (event: Event) => unknown;
  /** Gives up on connecting: `connect` rejects with an {@link AbortError}. */
  signal?: AbortSignal;
}

/** How one call is made. */
export interface CallSettings {
  /** Gives up on the call, which rejects with an {@link AbortError}; the server is told. */
  signal?: AbortSignal;
  /**
   * Told how far the call is; the server is asked for it where this is there. What it throws ends this call, which
   * rejects with it, and no other.
   */
  onProgress?: (progress: Progress) => unknown;
  /** The milliseconds without an answer, or since the last progress. Default 60 000. */
  timeout?: number;
  /** The milliseconds in all, whatever progress is made. Default 600 000. */
  totalTimeout?: number;
}

/** How a request is made whose result is taken as it comes. */
export interface RequestSettings extends CallSettings {
  /** The result comes as the text that the server wrote, to the digit. By default it comes as the value. */
  raw?: boolean;
}

/** How a request is made whose result is taken as text. */
export interface RawRequestSettings extends RequestSettings {
  /** The result comes as text. */
  raw: true;
}

/**
 * Starts a server and shakes hands with it.
 *
 * Rejects with a {@link ConnectError} when there is no session; nothing is left of the server then.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
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

  /** Looks at the options; `connect` makes connections. */
  constructor(options: ConnectOptions) {
    checkConnect(options);
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

  /** @internal */
  async [OPEN](signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw new AbortError(signal);
    const onAbort = () => this.#driver.shutdown();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#driver.connect();
    try {
      await this.#opened.promise;
    } catch (error) {
      await this.#retired.promise;
      throw signal?.aborted ? new AbortError(signal) : error;
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
  async callTool(name: string, args: JsonObjectInput = {}, settings?: CallSettings): Promise<ToolAnswer> {
    const text = object(args, "args");
    const answer = await this.#call((client, now, options) => client.callTool(now, name, text, options), settings);
    return answer.kind === "called" ? new ToolAnswer(answer.result) : unexpected(answer);
  }

  /** Lists all resources. */
  async listResources(settings?: CallSettings): Promise<Listing<Resource>> {
    const answer = await this.#call((client, now, options) => client.listResources(now, options), settings);
    return answer.kind === "resources" ? answer.listing : unexpected(answer);
  }

  /** Lists all templates of resources. */
  async listResourceTemplates(settings?: CallSettings): Promise<Listing<ResourceTemplate>> {
    const answer = await this.#call((client, now, options) => client.listResourceTemplates(now, options), settings);
    return answer.kind === "resourceTemplates" ? answer.listing : unexpected(answer);
  }

  /** Lists all prompts. */
  async listPrompts(settings?: CallSettings): Promise<Listing<Prompt>> {
    const answer = await this.#call((client, now, options) => client.listPrompts(now, options), settings);
    return answer.kind === "prompts" ? answer.listing : unexpected(answer);
  }

  /** Reads a resource. */
  async readResource(uri: string, settings?: CallSettings): Promise<ReadResult> {
    const answer = await this.#call((client, now, options) => client.readResource(now, uri, options), settings);
    return answer.kind === "resource" ? answer.result : unexpected(answer);
  }

  /** Gets a prompt, with the arguments that it takes. */
  async getPrompt(name: string, args: Record<string, string> = {}, settings?: CallSettings): Promise<PromptResult> {
    const text = object(args, "args");
    const answer = await this.#call((client, now, options) => client.getPrompt(now, name, text, options), settings);
    return answer.kind === "prompt" ? answer.result : unexpected(answer);
  }

  /** Completes an argument: `reference` is the `ref` and `argument` the `argument` of `completion/complete`. */
  async complete(reference: JsonObjectInput, argument: JsonObjectInput, settings?: CallSettings): Promise<Completion> {
    const texts = [object(reference, "reference"), object(argument, "argument")] as const;
    const answer = await this.#call((client, now, options) => client.complete(now, ...texts, options), settings);
    return answer.kind === "completion" ? answer.result : unexpected(answer);
  }

  /** Asks to be told, as the event `resourceUpdated`, when a resource changes. */
  async subscribe(uri: string, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.subscribe(now, uri, options), settings);
  }

  /** Asks not to be told any more when a resource changes. */
  async unsubscribe(uri: string, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.unsubscribe(now, uri, options), settings);
  }

  /** Sets the lowest level of the log messages that the server sends, which come as the event `logged`. */
  async setLogLevel(level: LogLevel, settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.setLogLevel(now, level, options), settings);
  }

  /** Asks the server for a sign of life. */
  async ping(settings?: CallSettings): Promise<void> {
    await this.#call((client, now, options) => client.ping(now, options), settings);
  }

  /** Makes any other request; the result comes as the value, or as the text that the server wrote where `raw` is set. */
  async request(method: string, params: JsonObjectInput, settings: RawRequestSettings): Promise<string>;
  async request(method: string, params?: JsonObjectInput, settings?: RequestSettings): Promise<Json>;
  async request(method: string, params: JsonObjectInput = {}, settings?: RequestSettings): Promise<Json> {
    const text = object(params, "params");
    const { raw, ...rest } = checkRequest(settings);
    const answer = await this.#call((client, now, options) => client.request(now, method, text, options), rest);
    if (answer.kind !== "raw") return unexpected(answer);
    return raw ? answer.raw : answer.result;
  }

  /** Generates a module from what the server lists. The server's own name is used where `server` is absent. */
  async generate(options: GenerateOptions = {}, settings?: CallSettings): Promise<Generated> {
    // What is wrong with the options is wrong before the server is asked.
    generate("[]", options);
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

  /** As `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(make: Make, settings: CallSettings | undefined): Promise<Answer> {
    const wait = checkSettings(settings);
    const options = callOptions(wait);
    return this.#driver.call((client, now) => make(client, now, options), wait);
  }

  #closed(reason: Reason): void {
    this.#opened.reject(new ConnectError(reason, this.stderrTail));
  }

  #happened(event: Event): void {
    if (event.kind === "asked") void this.#answer(event.ask, event.what, event.params);
    if (event.kind === "askWithdrawn" && event.ask !== undefined) this.#asks.get(event.ask)?.abort();
    guarded(this.#options.onEvent, event, warn);
  }

  async #answer(ask: number, what: Offered, params: JsonObject): Promise<void> {
    const controller = new AbortController();
    this.#asks.set(ask, controller);
    try {
      const result = object(await this.#options.handlers![what]!(params, controller.signal), "the handler's result");
      this.#reply(ask, { result }, controller.signal);
    } catch (failure) {
      const message = failure instanceof Error ? failure.message : String(failure);
      this.#reply(ask, { error: { code: -32603, message } }, controller.signal);
    } finally {
      this.#asks.delete(ask);
    }
  }

  #reply(ask: number, answer: AskAnswer, signal: AbortSignal): void {
    // A session that has ended waits for no answer either.
    if (signal.aborted || this.reason !== undefined) return;
    this.#driver.tell((client, now) => client.answerAsk(now, ask, answer));
  }
}

/** Makes what a listener threw seen, without ending the process that it is no matter of. */
function warn(error: unknown): void {
  const said = error instanceof Error ? error.message : String(error);
  const detail = error instanceof Error ? (error.stack ?? said) : said;
  process.emitWarning(`\`onEvent\` threw: ${said}`, { type: "SelvedgeWarning", detail });
}

function unexpected(answer: Answer): never {
  throw new SelvedgeError("unexpected", `the engine settled the call with ${answer.kind}`);
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
