/** How a server behaves; what is absent keeps its default. Lists hold the texts of the entries that are shown. */
export interface ServerConfig {
  implementation?: Partial<Implementation>;
  instructions?: string;
  tools?: readonly JsonText[];
  resources?: readonly JsonText[];
  resourceTemplates?: readonly JsonText[];
  prompts?: readonly JsonText[];
  hasResources?: boolean;
  hasPrompts?: boolean;
  completes?: boolean;
  logs?: boolean;
  watches?: boolean;
  changes?: boolean;
  allowsDestructive?: boolean;
  destructiveHint?: string;
  pageEntries?: number;
  cacheTtl?: number;
  callTimeout?: number;
  askTimeout?: number;
  stateTtl?: number;
  /** 32 random bytes, as hexadecimal digits: proves that a state which a modern client gives back is the server's own. */
  stateKey?: string;
  framing?: Framing;
  limits?: Partial<Limits>;
}

/** Names a request that waits for the application. It is never used twice. */
export type ServedCall = number;

/** What the server asks its host to do next, oldest first. */
export type ServerEffect = { kind: "send"; bytes: Uint8Array } | { kind: "event"; event: ServerEvent };

export type ServerEvent =
  /** A client has shaken hands; clients of the modern era never do. */
  | { kind: "initialized"; client: Implementation; revision: Revision }
  /** A client wants something; `answer` answers it. */
  | { kind: "requested"; call: ServedCall; request: ServerRequest; context: ServerContext }
  /** Nobody waits for the answer any more. */
  | { kind: "cancelled"; call?: ServedCall }
  | { kind: "watched"; uri: string }
  | { kind: "unwatched"; uri: string }
  | { kind: "rootsChanged" }
  | { kind: "peerViolated"; violation: Violation }
  /** The client has closed the session; calls under way may still be answered. */
  | { kind: "closed" }
  | { kind: "other" };

/** What a client wants of the application. */
export type ServerRequest =
  | { kind: "callTool"; name: string; arguments: JsonText }
  | { kind: "readResource"; uri: string }
  | { kind: "getPrompt"; name: string; arguments: JsonText }
  | { kind: "complete"; reference: JsonText; argument: JsonText; context?: JsonText };

/** What came with a request. */
export interface ServerContext {
  /** The text of the request's id. */
  id: string;
  revision: Revision;
  client?: Implementation;
  capabilities: JsonText;
  /** What the client has answered so far: the text of an object, by key. */
  answers?: JsonText;
  /** What the application gave along in the last round. */
  state?: string;
  /** The lowest level of log messages that the client wants of this request. */
  logLevel?: LogLevel;
  wantsProgress: boolean;
  meta?: JsonText;
}

/** How a request ends: with the text of its result, or without one. */
export type ServerAnswer =
  | { result: JsonText }
  /** The client must answer first; the request then comes again with its answers. */
  | { input: ServerInput }
  | { error: { code: number; message: string; data?: JsonText } }
  | { notFound: true }
  | { crashed: true };

/** What a client must answer before a request can go on. */
export interface ServerInput {
  questions?: readonly ServerQuestion[];
  /** What comes back in the context; the client can read it, but not change it. */
  state?: string;
}

/** A question to a client; its key tells the answer from those to other questions. */
export interface ServerQuestion {
  key: string;
  what: Offered;
  /** The parameters of `sampling/createMessage`, `elicitation/create` or `roots/list`, the text of an object. */
  params: JsonText;
}
