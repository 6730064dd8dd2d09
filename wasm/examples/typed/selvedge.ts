// Written for modules that Selvedge generates; the same for every server.

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Any JSON object. */
export type JsonObject = { [key: string]: Json };

/** Carries one call: the server, the original name of the tool, and its arguments as plain JSON. */
export type Invoke = (server: string, tool: string, args: JsonObject) => Promise<Answer | Fault>;

/** What a server answered. */
export interface Answer {
  content: readonly unknown[];
  isError?: boolean;
  structured?: unknown;
  /** Set by an engine that checked `structured` against the tool's schema and found it different. */
  mismatch?: { path: string; reason: string };
}

/** Why there is no answer. */
export interface Fault {
  code: string;
  message: string;
}

/** A part of a result: text, or anything else by its kind. */
export type Content = { kind: "text"; text: string } | { kind: "other"; type: string; raw: unknown };

/** What a tool returned. */
export class ToolResult<T> {
  constructor(
    readonly content: readonly Content[],
    readonly structured: T,
  ) {}

  /** The text parts, joined by line feeds. Never parsed. */
  get text(): string {
    return textOf(this.content);
  }
}

/** A call under way. Without a declared result, `structured` is whatever JSON the server sent, if any. */
export type Call<T = Json | undefined> = Promise<ToolResult<T>>;

/** Everything that a call can fail with. */
export class McpError extends Error {}

/** The tool ran and reported a failure. */
export class ToolFailed extends McpError {
  constructor(
    message: string,
    readonly content: readonly Content[],
  ) {
    super(message);
  }
}

/** The server cannot be reached. */
export class ServerUnavailable extends McpError {}

/** The call was refused, by the engine or by the server. */
export class Denied extends McpError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The answer is no result. */
export class ResultMalformed extends McpError {}

/** The result is not what the tool declared; it is kept whole. */
export class ResultSchemaMismatch extends McpError {
  constructor(
    readonly path: string,
    reason: string,
    readonly result: ToolResult<unknown>,
  ) {
    super(`${path || "/"}: ${reason}`);
  }
}

function textOf(content: readonly Content[]): string {
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

function readContent(part: unknown): Content {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  return { kind: "other", type: typeof type === "string" ? type : "", raw: part };
}

/** Copies arguments to plain JSON: what is `undefined` is left out, what JSON lacks is refused. */
function pack(value: unknown, path: string): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, at) => pack(item, `${path}/${at}`));
  if (typeof value === "object") {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([key, member]) => [key, pack(member, `${path}/${key}`)]));
  }
  throw new Denied("invalid_argument", `${path || "/"} is no JSON value`);
}

async function exchange(invoke: Invoke, server: string, tool: string, args: unknown): Promise<[Answer, Content[]]> {
  const answer = await invoke(server, tool, pack(args ?? {}, "") as JsonObject);
  if ("code" in answer) {
    if (answer.code === "mcp_unavailable") throw new ServerUnavailable(answer.message);
    throw new Denied(answer.code, answer.message);
  }
  if (!Array.isArray(answer.content)) throw new ResultMalformed("the result has no content");
  const content = answer.content.map(readContent);
  if (answer.isError === true) throw new ToolFailed(textOf(content), content);
  return [answer, content];
}

/** Calls a tool without a declared result. */
export async function call(invoke: Invoke, server: string, tool: string, args: unknown): Call {
  const [answer, content] = await exchange(invoke, server, tool, args);
  return new ToolResult(content, answer.structured as Json | undefined);
}

/** Calls a tool that declared its result; an answer without one is a mismatch. */
export async function callTyped<T>(invoke: Invoke, server: string, tool: string, args: unknown): Call<T> {
  const [answer, content] = await exchange(invoke, server, tool, args);
  const result = new ToolResult(content, answer.structured);
  if (answer.structured === undefined) {
    throw new ResultSchemaMismatch("", "the tool declares a structured result and sent none", result);
  }
  if (answer.mismatch !== undefined) {
    throw new ResultSchemaMismatch(answer.mismatch.path, answer.mismatch.reason, result);
  }
  return result as ToolResult<T>;
}
