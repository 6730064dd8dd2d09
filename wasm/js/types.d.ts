// The types of everything that crosses, by hand; `wasm/tests/fixtures.rs` holds every variant against them.

/** Milliseconds since an origin that the host chose. */
export type Tick = number;

/** Any JSON value. Numbers are JavaScript's: digits beyond those are in the text, which stands beside as `raw`. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Any JSON object. */
export type JsonObject = { [member: string]: Json };

/** Text of one JSON value, exactly as the peer wrote it: key order, digits and duplicates are kept. */
export type JsonText = string;

/**
 * A JSON object to be written, or the text of one, which goes out as it stands. Members that are `undefined` are left
 * out; what JSON has no form for (a `bigint`, a function, `NaN`, an object within itself, a `Map`) is refused.
 */
export type JsonObjectInput = JsonText | object;

/**
 * A JSON value to be written, or the text of one. A string is always the text of a value: the value `"a"` is passed as
 * `JSON.stringify("a")`.
 */
export type JsonInput = JsonText | object | number | boolean | null;

/** Names a call. It is the id of the call's first request on the wire. */
export type CallId = number;

/** Names a request of the server while it is under way. */
export type AskId = number;

/** Where a client stands. */
export type State = "parked" | "opening" | "negotiating" | "reopening" | "ready" | "closing" | "retired";

/** The revisions of the protocol. */
export type Revision = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

/** What the client asks its host to do next, oldest first. */
export type Effect =
  /** Start the server, and report with `handleOpened` or `handleOpenFailed`. */
  | { kind: "open" }
  /** Write these bytes to the server, whole and in order. */
  | { kind: "send"; bytes: Uint8Array }
  /** Close the server's input, after everything that was to be written. */
  | { kind: "closeInput" }
  /** Ask the server's whole process group to end (SIGTERM). */
  | { kind: "terminate" }
  /** End whatever is left of the server's process group (SIGKILL). */
  | { kind: "kill" }
  /** Tell the application. */
  | { kind: "event"; event: Event };

/** What happened. */
export type Event =
  /** The handshake is done: calls can be made. */
  | { kind: "ready"; handshake: Handshake }
  /** The server ended when it was asked what it speaks; it is started anew and asked otherwise. */
  | { kind: "replaced"; reason: Reason }
  /** A call has ended. Every call ends exactly once. */
  | { kind: "settled"; call: CallId; outcome: Outcome }
  /** The server works on a call. */
  | { kind: "progressed"; call: CallId; progress: Progress }
  /** The server's tools are others than they were. */
  | { kind: "toolsChanged" }
  /** The server's resources are others than they were. */
  | { kind: "resourcesChanged" }
  /** The server's prompts are others than they were. */
  | { kind: "promptsChanged" }
  /** A resource that was subscribed to has changed. */
  | { kind: "resourceUpdated"; uri: string }
  /** The server logs something; `raw` is the text of `data`. */
  | { kind: "logged"; level: string; logger?: string; data: Json; raw: JsonText }
  /** The server asks for something that was offered; `answerAsk` answers it. `raw` is the text of `params`. */
  | { kind: "asked"; ask: AskId; what: Offered; params: JsonObject; raw: JsonText }
  /** The server does not want the answer any more, or cannot be given it. */
  | { kind: "askWithdrawn"; ask?: AskId }
  /** A tool has a schema, and its calls cannot be checked against all of it. */
  | { kind: "unchecked"; tool: string; side: "arguments" | "result"; reasons: Skipped[] }
  /** The server ended a stream of notifications, or refused the one that is opened by itself. */
  | { kind: "listenEnded"; listen: CallId; interests: Interests; error?: RpcError }
  /** The server did something against the protocol. */
  | { kind: "peerViolated"; violation: Violation }
  /** The server reports an error that answers no request it could name. */
  | { kind: "peerErrored"; error: RpcError }
  /** The session has ended, for the reason that every later call repeats. */
  | { kind: "closed"; reason: Reason }
  /** Nothing is left of the server, or nothing that could be waited for. */
  | ({ kind: "retired" } & Retirement)
  /** Something that this version of the types does not know. */
  | { kind: "other" };

/** How the end of a server was seen, or why it was not. */
export type Retirement = { ok: true; evidence: Evidence } | { ok: false; error: RetirementError };

/** What is known of a server that is gone. */
export type Evidence = { kind: "neverOpened" } | { kind: "exited"; status: ExitStatus } | { kind: "other" };

/** Why the end of a server is not certain. */
export type RetirementError =
  | { kind: "retirementTimedOut"; message: string; after: number }
  | { kind: "retirementUnconfirmed"; message: string }
  | { kind: "other"; message: string };

/** How a server ended: with a code of its own, or by a signal. */
export interface ExitStatus {
  /** The code that the server gave. */
  code?: number;
  /** The number of the signal. */
  signal?: number;
}

/** Why a server did not start. */
export type OpenFailure = "commandNotFound" | "notExecutable" | "directoryNotFound" | "other";

/** How a call ended. */
export type Outcome = { ok: true; answer: Answer } | { ok: false; error: CallError };

/** What a call was answered with: one kind for each command. */
export type Answer =
  | { kind: "called"; result: CallToolResult }
  | { kind: "tools"; listing: Listing<Tool> }
  | { kind: "resources"; listing: Listing<Resource> }
  | { kind: "resourceTemplates"; listing: Listing<ResourceTemplate> }
  | { kind: "prompts"; listing: Listing<Prompt> }
  | { kind: "resource"; result: ReadResult }
  | { kind: "prompt"; result: PromptResult }
  | { kind: "completion"; result: Completion }
  /** The stream is open; `stopListening` closes it. */
  | { kind: "listening"; listen: CallId; agreed: Interests }
  | { kind: "discovered"; handshake: Handshake }
  | { kind: "done" }
  /** The result of `request`; `raw` is its text. */
  | { kind: "raw"; result: Json; raw: JsonText }
  | { kind: "other" };

/** What a tool answered. Its parts are parsed once, when one of them is first looked at. */
export interface CallToolResult {
  /** The tool ran and says that it failed. */
  isError: boolean;
  /** The text of the result. */
  raw: JsonText;
  /** The content blocks in their order. */
  readonly content: ContentBlock[];
  /** The structured result; `undefined` where the tool sent none. */
  readonly structuredContent: Json | undefined;
}

/** A content block as the server sent it. */
export interface ContentBlock {
  /** `text`, `image`, `audio`, `resource_link`, `resource`, or what a later revision knows. */
  type: string;
  /** The text of a block of type `text`. */
  text?: string;
  /** Everything else that the block holds. */
  [member: string]: unknown;
}

/** Why a call has no result. */
export type CallError =
  /** The tool ran and says that it failed. */
  | { kind: "toolFailed"; message: string; result: CallToolResult }
  /** The server answered with an error. */
  | { kind: "refused"; message: string; error: RpcError }
  /** No answer came in time. The server was told to stop. */
  | { kind: "timedOut"; message: string; after: number; hint?: Hint }
  /** The application answered a question of the server with an error. */
  | { kind: "askRefused"; message: string; what: Offered; error: RpcError }
  /** The tool ran, and its structured content is not what its `outputSchema` promises. */
  | { kind: "badResult"; message: string; mismatch: Mismatch; result: CallToolResult }
  | { kind: "tooManyRounds"; message: string; limit: number }
  | { kind: "notHonoured"; message: string }
  | { kind: "streamEnded"; message: string }
  | { kind: "cancelled"; message: string }
  /** There is no session, for this reason. */
  | { kind: "unavailable"; message: string; reason: Reason }
  /** The answer cannot be read. */
  | { kind: "malformed"; message: string; fault: AnswerFault; raw?: JsonText }
  | { kind: "tooLarge"; message: string; limit: number }
  | { kind: "paginationLoop"; message: string; cursor: string }
  | { kind: "tooManyPages"; message: string; limit: number }
  | { kind: "listingTooLarge"; message: string; limit: number }
  | { kind: "other"; message: string };

/** What is wrong with an answer that cannot be read. */
export type AnswerFault =
  | { kind: "notJson"; message: string; at: number; expected: string }
  | { kind: "notUtf8"; message: string; validUpTo: number }
  | { kind: "notJsonRpc"; message: string; fault: JsonRpcFault }
  | { kind: "wrongShape"; message: string; member: string; expected: string; found: string }
  | { kind: "unknownKind"; message: string; resultType: string }
  | { kind: "notOffered"; message: string; what: string }
  | { kind: "questions"; message: string; violation: Violation }
  | { kind: "badEntry"; message: string; index: number; reason: string }
  | { kind: "other"; message: string };

/** What may have become of an answer that did not come. */
export type Hint =
  | { kind: "multiLineJson"; message: string }
  | { kind: "utf16"; message: string }
  | { kind: "echo"; message: string }
  | { kind: "peerError"; message: string; error: RpcError }
  | { kind: "other"; message: string };

/** Why a session ended. */
export type Reason =
  | { kind: "shutDown"; message: string }
  | { kind: "openFailed"; message: string; failure: OpenFailure }
  | { kind: "handshakeTimedOut"; message: string; after: number; hint?: Hint }
  | { kind: "handshakeRefused"; message: string; error: RpcError }
  | { kind: "handshakeMalformed"; message: string }
  | { kind: "versionUnsupported"; message: string; server: string[]; client: Revision[] }
  | { kind: "outputClosed"; message: string }
  | { kind: "inputClosed"; message: string }
  | { kind: "exited"; message: string; status: ExitStatus }
  | { kind: "violated"; message: string; violation: Violation }
  | { kind: "other"; message: string };

/** Why a JSON value is not a message of JSON-RPC. */
export type JsonRpcFault =
  | "notAnObject"
  | "emptyBatch"
  | "duplicateMember"
  | "methodNotAString"
  | "badId"
  | "noId"
  | "resultAndError"
  | "noContent"
  | "notVersioned"
  | "other";

/** Something that the peer did against the protocol. */
export type Violation =
  | { kind: "notJson"; message: string; at: number; expected: string }
  | { kind: "text"; message: string; bytes: number }
  | { kind: "joinedLine"; message: string; at: number }
  | { kind: "echoed"; message: string }
  | { kind: "multiLineJson"; message: string }
  | { kind: "utf16"; message: string }
  | { kind: "notUtf8"; message: string; validUpTo: number }
  | { kind: "notJsonRpc"; message: string; fault: JsonRpcFault }
  | { kind: "badRequest"; message: string; fault: JsonRpcFault }
  | { kind: "oddEnvelope"; message: string; oddities: Oddities }
  | { kind: "tooLarge"; message: string; limit: number }
  | { kind: "badHeader"; message: string; bytes: number }
  | { kind: "batch"; message: string; messages: number }
  | { kind: "batchTooLong"; message: string; messages: number; limit: number }
  | { kind: "unknownResponse"; message: string }
  | { kind: "respelledId"; message: string; id: number | bigint }
  | { kind: "methodNotOffered"; message: string }
  | { kind: "methodTooLong"; message: string; bytes: number; limit: number }
  | { kind: "idTooLong"; message: string; bytes: number; limit: number }
  | { kind: "badParams"; message: string }
  | { kind: "duplicateName"; message: string; pointer: string }
  | { kind: "wayNotOffered"; message: string }
  | { kind: "requestOfServer"; message: string }
  | { kind: "questionsNotAllowed"; message: string; method: string }
  | { kind: "notListenedFor"; message: string; method: string }
  | { kind: "notAcknowledged"; message: string; method: string }
  | { kind: "tooManySubscriptions"; message: string; limit: number }
  | { kind: "idInUse"; message: string }
  | { kind: "tooManyAsks"; message: string; limit: number }
  | { kind: "badNotification"; message: string; method: string }
  | { kind: "badCursor"; message: string }
  | { kind: "repeatedEntries"; message: string; count: number; list: string; key: string }
  | { kind: "endlessChanges"; message: string; method: string; interval: number }
  | { kind: "progressNotRising"; message: string }
  | { kind: "oddHandshake"; message: string; member: string; expected: string }
  | { kind: "tooManyStrayLines"; message: string; limit: number }
  | { kind: "tooManyStrayBytes"; message: string; limit: number }
  | { kind: "other"; message: string };

/** What is odd about a message that can be understood all the same. */
export interface Oddities {
  /** `jsonrpc` is not `"2.0"`. */
  wrongVersion: boolean;
  /** There is a `null` beside the member that counts. */
  nullBeside: boolean;
  /** A member that may be left out is `null`. */
  nullMember: boolean;
  /** A member of the envelope that stands there more than once; the first one counts. */
  duplicate?: string;
}

/** An error of JSON-RPC. A code beyond 2⁵³ is a `bigint`. */
export interface RpcError {
  /** The kind of the error, as JSON-RPC and MCP number them. */
  code: number | bigint;
  /** The error as a sentence. */
  message: string;
  /** What the error holds beside. */
  data?: Json;
  /** The error as it came, where its shape is not the one of the standard. */
  malformed?: Json;
  /** The text of `data`, or of `malformed`. */
  raw?: JsonText;
}

/** How far a call is. */
export interface Progress {
  /** What is done. */
  progress: number;
  /** What there is to do, where the server says it. */
  total?: number;
  /** What the server is at. */
  message?: string;
  /** The share that is done, from 0 to 1, where the server says what there is to do. */
  share?: number;
  /** The numbers as the server wrote them. */
  raw: { progress: JsonText; total?: JsonText };
}

/** Who one side says it is. */
export interface Implementation {
  /** The name for programs. */
  name: string;
  /** The version of the program, not of the protocol. */
  version: string;
  /** The name for people. */
  title?: string;
}

/** What both sides agreed on. */
export interface Handshake {
  /** The revision of the protocol that is spoken. */
  revision: Revision;
  /** Who the server says it is. */
  server: Implementation;
  /** What the server can do. */
  capabilities: Capabilities;
  /** What the server wants a model to know. */
  instructions?: string;
  /** The text of the whole result. */
  raw: JsonText;
}

/** What a server declares. */
export interface Capabilities {
  /** There are tools. */
  tools: boolean;
  /** There are resources. */
  resources: boolean;
  /** There are prompts. */
  prompts: boolean;
  /** Arguments are completed. */
  completions: boolean;
  /** Log messages are sent. */
  logging: boolean;
  /** Everything that is declared, extensions too. */
  value: JsonObject;
  /** The text of `value`. */
  raw: JsonText;
}

/** All pages of a list together. */
export interface Listing<T> {
  /** The entries that can be used, in their order. */
  items: T[];
  /** The entries that cannot. */
  quarantined: Quarantined[];
}

/** An entry of a list that cannot be used. */
export interface Quarantined {
  /** Its place in the list, from 0. */
  index: number;
  /** Its name, where it has one. */
  name?: string;
  /** What is wrong with it. */
  reason: string;
}

/** A tool as the server lists it. */
export interface Tool {
  /** The name by which it is called. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What it does. */
  description?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: JsonObject;
  /** The JSON Schema of its structured result. */
  outputSchema?: JsonObject;
  /** Hints about what it does, which a server may get wrong. */
  annotations?: JsonObject;
  /** The text of the whole entry. */
  raw: JsonText;
}

/** A resource as the server lists it. */
export interface Resource {
  /** The URI by which it is read. */
  uri: string;
  /** The name for programs. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What it holds. */
  description?: string;
  /** Its MIME type. */
  mimeType?: string;
  /** Its size in bytes; one beyond 2⁵³ is a `bigint`. */
  size?: number | bigint;
  /** The text of the whole entry. */
  raw: JsonText;
}

/** A template of resources as the server lists it. */
export interface ResourceTemplate {
  /** The template of their URIs (RFC 6570). */
  uriTemplate: string;
  /** The name for programs. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What the resources hold. */
  description?: string;
  /** Their MIME type. */
  mimeType?: string;
  /** The text of the whole entry. */
  raw: JsonText;
}

/** A prompt as the server lists it. */
export interface Prompt {
  /** The name by which it is got. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What it is for. */
  description?: string;
  /** What it takes. */
  arguments: PromptArgument[];
  /** The text of the whole entry. */
  raw: JsonText;
}

/** An argument of a prompt. */
export interface PromptArgument {
  /** The name by which it is passed. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What it means. */
  description?: string;
  /** The prompt cannot be got without it. */
  required: boolean;
}

/** What reading a resource gave. */
export interface ReadResult {
  /** The parts of the resource. */
  contents: ResourceContents[];
  /** The text of the whole result. */
  raw: JsonText;
}

/** A part of a resource: text, or bytes. */
export interface ResourceContents {
  /** The URI of the part. */
  uri: string;
  /** Its MIME type. */
  mimeType?: string;
  /** The part, where it is text. */
  text?: string;
  /** The part as base64, where it is bytes. */
  blob?: string;
}

/** What getting a prompt gave. */
export interface PromptResult {
  /** What the prompt is for. */
  description?: string;
  /** The messages for the model. */
  messages: PromptMessage[];
  /** The text of the whole result. */
  raw: JsonText;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** `user` or `assistant`. */
  role: string;
  /** What is said. */
  content: Content;
}

/** One content block of a prompt: text, or anything else by its type, its value and its text. */
export type Content = { kind: "text"; text: string } | { kind: "other"; type: string; value: Json; raw: JsonText };

/** What may stand for an argument. */
export interface Completion {
  /** The suggestions, the best first. */
  values: string[];
  /** How many there are in all, where the server says it. */
  total?: number | bigint;
  /** There are more than these. */
  hasMore: boolean;
  /** The text of the whole result. */
  raw: JsonText;
}

/** What a server may ask of its client, where it was offered. */
export type Offered = "sampling" | "elicitation" | "roots";

/** What a server wrote that is no message; samples are safe to show. */
export interface Stray {
  /** How many lines there were. */
  lines: number;
  /** How many bytes they had. */
  bytes: number;
  /** The newest of them, cut. */
  samples: string[];
}

/** How a client behaves; what is absent keeps its default. Times are milliseconds, `Infinity` has no end. */
export interface ClientConfig {
  /** Who the client says it is. */
  implementation?: Partial<Implementation>;
  /** What a server may ask of the application; nothing by default. */
  offers?: Partial<Offers>;
  /** Which era is tried first, or which revision is spoken. Default `legacyFirst`. */
  era?: "legacyFirst" | "modernFirst" | Revision;
  /** Extensions that the client declares, by identifier (2026-07-28). */
  extensions?: Record<string, JsonObjectInput>;
  /** Have a modern server tell of changes of its lists. On by default. */
  listensForChanges?: boolean;
  /**
   * What of a call is checked against the schemas of its tool, once the tools were listed; all by default.
   * `selvedge/client` leaves the checks out and refuses to be asked for them.
   */
  checks?: Partial<Checks>;
  /** How output that is not the protocol is taken. */
  tolerance?: "tolerant" | "strict";
  /** How messages to the server are delimited. Default `newline`. */
  framing?: Framing;
  /** The time from connecting to the end of the handshake. Default 30 000. */
  handshakeTimeout?: number;
  /** The time that `modernFirst` gives a server to answer `server/discover`. Default 10 000. */
  probeTimeout?: number;
  /** How long a call may take where its options do not say: 60 000, with progress 600 000. */
  patience?: Partial<Patience>;
  /** The time a server has to end by itself once its input is closed. Default 500. */
  closeGrace?: number;
  /** The time it then has to end on SIGTERM. Default 2 000. */
  terminateGrace?: number;
  /** The time its end is waited for once it is killed. Default 2 000. */
  killGrace?: number;
  /** The time from the end of a server's output to its exit, or the other way round. Default 50. */
  drainGrace?: number;
  /** The shortest time between two events that say that one list has changed. Default 334. */
  changesInterval?: number;
  /** The time before a call is made again whose server wants nothing but that. Default 250. */
  retryInterval?: number;
  /** Say goodbye as servers built on language-server libraries expect it. Off by default. */
  farewell?: boolean;
  /** Bounds on what the server can make the client keep. */
  limits?: Partial<Limits>;
}

/** What of a call is checked against the schemas of its tool. */
export interface Checks {
  /** Arguments, before the server sees them. */
  arguments: boolean;
  /** Structured results. */
  results: boolean;
}

/** What a server may ask of the application, and in which ways. */
export interface Offers {
  /** The server may ask for the model's words. */
  sampling: boolean;
  /** The server may let the model use tools meanwhile. */
  samplingTools: boolean;
  /** The server may put questions to the application's user, as forms. */
  elicitation: boolean;
  /** The server may send the application's user to a URL. */
  elicitationUrl: boolean;
  /** The server may ask for the folders that it should work in. */
  roots: boolean;
}

/** What a client wants to be told of, or what a server agreed to tell. */
export interface Interests {
  /** That the tools are others. */
  tools?: boolean;
  /** That the prompts are others. */
  prompts?: boolean;
  /** That the resources are others. */
  resources?: boolean;
  /** That one of these resources has changed. */
  uris?: readonly string[];
}

/** How much a log message matters (RFC 5424), from the least. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** How messages are delimited: by line feeds, or by headers as language servers do. */
export type Framing = "newline" | "contentLength";

/** How long a call may take, in milliseconds. */
export interface Patience {
  /** The time without an answer, or since the last progress. */
  idle: number;
  /** The time in all, whatever progress is made. */
  total: number;
}

/** Bounds on what a peer can make the engine keep. */
export interface Limits {
  /** The longest line or body of one message. Default 16 MiB. */
  maxMessageBytes: number;
  /** Calls that wait for their answers at the same time. Default 1 024. */
  maxCallsInFlight: number;
  /** Pages of one listing. Default 64. */
  maxPages: number;
  /** All pages of one listing together. Default 64 MiB. */
  maxListingBytes: number;
  /** Requests of the peer that wait for the application at the same time. Default 64. */
  maxAsks: number;
  /** The longest id of a peer's request. Default 1 024. */
  maxIdBytes: number;
  /** The longest method of a peer's request. Default 1 024. */
  maxMethodBytes: number;
  /** Messages that come as one (2025-03-26). Default 10 000. */
  maxBatchMessages: number;
  /** Lines that are not messages, in one session. Default 100 000. */
  maxStrayLines: number;
  /** The bytes of such lines, in one session. Default 256 MiB. */
  maxStrayBytes: number;
  /** The bytes of such lines that are kept to be shown. Default 64 KiB. */
  maxStrayKeptBytes: number;
  /** The newest bytes of the peer's diagnostic stream that are kept to be shown. Default 256 KiB. */
  maxStderrKeptBytes: number;
  /** Names and schemas of the listed tools together; tools beyond it are not checked. Default 4 MiB. */
  maxSchemaBytes: number;
  /** The longest URI that a client may watch. Default 8 KiB. */
  maxUriBytes: number;
  /** Rounds in which a server may ask before it completes one call (2026-07-28). Default 10. */
  maxRounds: number;
  /** Streams of notifications that are open at the same time (2026-07-28). Default 64. */
  maxListens: number;
  /** Results that are kept for as long as the server says they stay fresh (2026-07-28). Default 8 MiB. */
  maxCacheBytes: number;
  /** Requests of all clients of a server that its application works on at the same time. Default 512. */
  maxRunning: number;
  /** Those of one client. Default 32. */
  maxRunningPerClient: number;
  /** Requests of all clients that wait for their turn. Default 16 384. */
  maxQueued: number;
  /** Those of one client. Default 1 024. */
  maxQueuedPerClient: number;
  /** What is kept for the requests of all clients, in bytes. Default 64 MiB. */
  maxCallBytes: number;
  /** What a client keeps for a request that asks it something, and what it answers at once. Default 256 KiB. */
  maxStateBytes: number;
  /** Streams that a client listens on, and resources that it watches on each. Default 1 024. */
  maxSubscriptions: number;
}

/** How one call is made; what is absent is as the configuration says. */
export interface CallOptions {
  /** How long the call may take. */
  patience?: Partial<Patience>;
  /** Ask the server to report progress, which comes as the event `progressed`. */
  progress?: boolean;
  /** The lowest level of log messages that a modern server may send for this call. */
  logLevel?: LogLevel;
  /** An object whose members are added to the call's `_meta`. */
  meta?: JsonObjectInput;
  /** Ask the server even where an answer that it gave earlier is still fresh. */
  bypassCache?: boolean;
  /** Make the call without the checks of the configuration, where there are any. */
  unchecked?: boolean;
}

/** What answers a request of the peer: an object, or an error. */
export type AskAnswer = { result: JsonObjectInput } | { error: AskError };

/** An error that answers a request of the peer. */
export interface AskError {
  /** The kind of the error, as JSON-RPC and MCP number them. */
  code: number;
  /** The error as a sentence. */
  message: string;
  /** What the error holds beside. */
  data?: JsonInput;
}

/** Where a value differs from its schema. */
export interface Mismatch {
  /** Tells a mismatch from other verdicts. */
  kind: "invalid";
  /** The difference as a sentence. */
  message: string;
  /** A JSON pointer to the place in the value. */
  pointer: string;
  /** What the schema wants there. */
  expected: string;
  /** What is there. */
  found: string;
  /** A likely way to put it right. */
  hint?: string;
}

/** A part of a schema that is not checked. */
export interface Skipped {
  /** A JSON pointer to the place in the schema. */
  pointer: string;
  /** The keyword there. */
  keyword: string;
  /** Why it is not checked. */
  reason: string;
}

/**
 * Everything that the package throws or rejects with. `instanceof` holds across the builds of the package: what
 * `selvedge/client` throws is an instance of the class that `selvedge` exports.
 */
export class SelvedgeError extends Error {
  /** Makes an error; only the package has reasons to. */
  constructor(code: string, message: string, options?: ErrorOptions);
  /** The kind of the failure, for programs: `badParameter`, `badOption`, `notJson`, `notReady`, … */
  readonly code: string;
  /** The place where a text stops being JSON, in bytes from 0, where `code` is `notJson`. */
  readonly at?: number;
  /** The line of that place, from 1. */
  readonly line?: number;
  /** The character in that line, from 1. */
  readonly column?: number;
  /** A JSON pointer to what a schema or MessagePack refuses. */
  readonly pointer?: string;
}
