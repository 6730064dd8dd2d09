// The types of everything that crosses, by hand; `wasm/tests/fixtures.rs` holds every variant against them.

/** Milliseconds since an origin that the host chose. */
export type Tick = number;

/** Text of one JSON value, exactly as the peer wrote it: key order, digits and duplicates are kept. */
export type JsonText = string;

/** Names a call. It is the id of the call's first request on the wire. */
export type CallId = number;

/** Names a request of the server while it is under way. */
export type AskId = number;

/** Where a client stands. */
export type State = "parked" | "opening" | "negotiating" | "ready" | "closing" | "retired";

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
  | { kind: "toolsChanged" }
  | { kind: "resourcesChanged" }
  | { kind: "promptsChanged" }
  | { kind: "resourceUpdated"; uri: string }
  | { kind: "logged"; level: string; logger?: string; data: JsonText }
  /** The server asks for something that was offered; `answerAsk` answers it. */
  | { kind: "asked"; ask: AskId; what: Offered; params: JsonText }
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
  code?: number;
  signal?: number;
}

export type OpenFailure = "commandNotFound" | "notExecutable" | "directoryNotFound" | "other";

/** How a call ended. */
export type Outcome = { ok: true; answer: Answer } | { ok: false; error: CallError };

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
  | { kind: "raw"; result: JsonText }
  | { kind: "other" };

/** What a tool answered. Its parts are in `raw`, to be parsed once by whoever wants them. */
export interface CallToolResult {
  isError: boolean;
  raw: JsonText;
}

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
  | "other";

/** Something that the peer did against the protocol. */
export type Violation =
  | { kind: "notJson"; message: string; at: number; expected: string }
  | { kind: "text"; message: string; bytes: number }
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
  | { kind: "oddHandshake"; message: string; member: string; expected: string }
  | { kind: "tooManyStrayLines"; message: string; limit: number }
  | { kind: "tooManyStrayBytes"; message: string; limit: number }
  | { kind: "other"; message: string };

export interface Oddities {
  wrongVersion: boolean;
  nullBeside: boolean;
  nullMember: boolean;
  /** A member of the envelope that stands there more than once; the first one counts. */
  duplicate?: string;
}

/** An error of JSON-RPC. A code beyond 2⁵³ is a `bigint`. */
export interface RpcError {
  code: number | bigint;
  message: string;
  data?: JsonText;
  /** The error as it came, where its shape is not the one of the standard. */
  malformed?: JsonText;
}

export interface Progress {
  progress: JsonText;
  total?: JsonText;
  message?: string;
  /** The share that is done, from 0 to 1, where the server says what there is to do. */
  share?: number;
}

export interface Implementation {
  name: string;
  version: string;
  title?: string;
}

export interface Handshake {
  revision: Revision;
  server: Implementation;
  capabilities: Capabilities;
  instructions?: string;
  raw: JsonText;
}

export interface Capabilities {
  tools: boolean;
  resources: boolean;
  prompts: boolean;
  completions: boolean;
  logging: boolean;
  raw: JsonText;
}

export interface Listing<T> {
  /** The entries that can be used, in their order. */
  items: T[];
  /** The entries that cannot. */
  quarantined: Quarantined[];
}

export interface Quarantined {
  index: number;
  name?: string;
  reason: string;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonText;
  outputSchema?: JsonText;
  annotations?: JsonText;
  raw: JsonText;
}

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** A size beyond 2⁵³ is a `bigint`. */
  size?: number | bigint;
  raw: JsonText;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  raw: JsonText;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments: PromptArgument[];
  raw: JsonText;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required: boolean;
}

export interface ReadResult {
  contents: ResourceContents[];
  raw: JsonText;
}

export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

export interface PromptResult {
  description?: string;
  messages: PromptMessage[];
  raw: JsonText;
}

export interface PromptMessage {
  role: string;
  content: Content;
}

/** One content block: text, or anything else by its kind and as it came. */
export type Content = { kind: "text"; text: string } | { kind: "other"; type: string; raw: JsonText };

export interface Completion {
  values: string[];
  total?: number | bigint;
  hasMore: boolean;
  raw: JsonText;
}

/** What a server may ask of its client, where it was offered. */
export type Offered = "sampling" | "elicitation" | "roots";

/** What a server wrote that is no message; samples are safe to show. */
export interface Stray {
  lines: number;
  bytes: number;
  samples: string[];
}

/** How a client behaves; what is absent keeps its default. Times are milliseconds, `Infinity` has no end. */
export interface ClientConfig {
  implementation?: Partial<Implementation>;
  /** What a server may ask of the application; nothing by default. */
  offers?: Partial<Offers>;
  /** Which era is tried first, or which revision is spoken. Default `legacyFirst`. */
  era?: "legacyFirst" | "modernFirst" | Revision;
  /** Extensions that the client declares, by identifier; each value is the text of an object (2026-07-28). */
  extensions?: Record<string, JsonText>;
  /** Have a modern server tell of changes of its lists. On by default. */
  listensForChanges?: boolean;
  /**
   * What of a call is checked against the schemas of its tool, once the tools were listed; all by default.
   * `selvedge/client` leaves the checks out and refuses to be asked for them.
   */
  checks?: { arguments?: boolean; results?: boolean };
  /** How output that is not the protocol is taken. */
  tolerance?: "tolerant" | "strict";
  framing?: Framing;
  /** Default 30 000. */
  handshakeTimeout?: number;
  /** Default 10 000. */
  probeTimeout?: number;
  /** How long a call may take where its options do not say: 60 000, with progress 600 000. */
  patience?: Partial<Patience>;
  /** Default 500. */
  closeGrace?: number;
  /** Default 2 000. */
  terminateGrace?: number;
  /** Default 2 000. */
  killGrace?: number;
  /** Default 50. */
  drainGrace?: number;
  /** Default 334. */
  changesInterval?: number;
  /** Default 250. */
  retryInterval?: number;
  /** Say goodbye as servers built on language-server libraries expect it. Off by default. */
  farewell?: boolean;
  limits?: Partial<Limits>;
}

/** What a server may ask of the application, and in which ways. */
export interface Offers {
  sampling: boolean;
  /** The server may let the model use tools meanwhile. */
  samplingTools: boolean;
  /** The server may put questions to the application's user, as forms. */
  elicitation: boolean;
  /** The server may send the application's user to a URL. */
  elicitationUrl: boolean;
  roots: boolean;
}

/** What a client wants to be told of, or what a server agreed to tell. */
export interface Interests {
  tools?: boolean;
  prompts?: boolean;
  resources?: boolean;
  /** These resources. */
  uris?: readonly string[];
}

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

export type Framing = "newline" | "contentLength";

export interface Patience {
  /** The time without an answer, or since the last progress. */
  idle: number;
  /** The time in all, whatever progress is made. */
  total: number;
}

/** Bounds on what a peer can make the engine keep. */
export interface Limits {
  maxMessageBytes: number;
  maxCallsInFlight: number;
  maxPages: number;
  maxListingBytes: number;
  maxAsks: number;
  maxIdBytes: number;
  maxMethodBytes: number;
  maxBatchMessages: number;
  maxStrayLines: number;
  maxStrayBytes: number;
  maxStrayKeptBytes: number;
  maxStderrKeptBytes: number;
  maxSchemaBytes: number;
  maxUriBytes: number;
  maxRounds: number;
  maxListens: number;
  maxCacheBytes: number;
  maxRunning: number;
  maxRunningPerClient: number;
  maxQueued: number;
  maxQueuedPerClient: number;
  maxStateBytes: number;
  maxSubscriptions: number;
}

export interface CallOptions {
  patience?: Partial<Patience>;
  /** Ask the server to report progress, which comes as the event `progressed`. */
  progress?: boolean;
  /** The lowest level of log messages that a modern server may send for this call. */
  logLevel?: LogLevel;
  /** The text of an object whose members are added to the call's `_meta`. */
  meta?: JsonText;
  /** Ask the server even where an answer that it gave earlier is still fresh. */
  bypassCache?: boolean;
  /** Make the call without the checks of the configuration, where there are any. */
  unchecked?: boolean;
}

/** What answers a request of the peer: the text of an object, or an error. */
export type AskAnswer = { result: JsonText } | { error: { code: number; message: string; data?: JsonText } };

/** Where a value differs from its schema. */
export interface Mismatch {
  kind: "invalid";
  message: string;
  pointer: string;
  expected: string;
  found: string;
  /** A likely way to put it right. */
  hint?: string;
}

/** A part of a schema that is not checked. */
export interface Skipped {
  pointer: string;
  keyword: string;
  reason: string;
}

/** What the package throws: an `Error` with a code. */
export interface SelvedgeError extends Error {
  code: string;
}
