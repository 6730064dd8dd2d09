/** How a server behaves; what is absent keeps its default. Times are milliseconds, `Infinity` has no end. */
export interface ServerConfig {
  /** Who the server says it is. */
  implementation?: Partial<Implementation>;
  /** What the server wants a model to know. */
  instructions?: string;
  /** The tools, each as `tools/list` shows it. An entry without a name, or with one that stands there, is left out. */
  tools?: readonly JsonObjectInput[];
  /** The resources, each as `resources/list` shows it. */
  resources?: readonly JsonObjectInput[];
  /** The templates, each as `resources/templates/list` shows it. */
  resourceTemplates?: readonly JsonObjectInput[];
  /** The prompts, each as `prompts/list` shows it. */
  prompts?: readonly JsonObjectInput[];
  /** The server has resources, or may have some later. It has where some are listed. */
  hasResources?: boolean;
  /** The server has prompts, or may have some later. It has where some are listed. */
  hasPrompts?: boolean;
  /** The application completes arguments. */
  completes?: boolean;
  /** The application sends log messages. */
  logs?: boolean;
  /** The application tells when a resource changes. */
  watches?: boolean;
  /** What the server offers may change while it serves. */
  changes?: boolean;
  /** Tools that declare `destructiveHint` are called; otherwise a call is answered with a tool's failure. */
  allowsDestructive?: boolean;
  /** How the one who runs the server allows them, for the text of that failure. */
  destructiveHint?: string;
  /** Entries on one page of a listing. Default 1 000. */
  pageEntries?: number;
  /** How long a client may keep what does not say so itself (modern era). Default 0: it asks each time. */
  cacheTtl?: number;
  /** The time that the application has for a request. Default 3 600 000. */
  callTimeout?: number;
  /** The time that a client has to answer a question. Default 600 000. */
  askTimeout?: number;
  /** The time after which a client cannot go on with a request that asked it something. Default 3 600 000. */
  stateTtl?: number;
  /** 32 random bytes, as hexadecimal digits: proves that a state which a modern client gives back is the server's own. */
  stateKey?: string;
  /** How messages to the client are delimited. Default `newline`. */
  framing?: Framing;
  /** Bounds on what a client can make the server keep. */
  limits?: Partial<Limits>;
}

/** Names a request that waits for the application. It is never used twice. */
export type ServedCall = number;

/** What the server asks its host to do next, oldest first. */
export type ServerEffect = { kind: "send"; bytes: Uint8Array } | { kind: "event"; event: ServerEvent };

/** What happened to the server. */
export type ServerEvent =
  /** A client has shaken hands; clients of the modern era never do. */
  | { kind: "initialized"; client: Implementation; revision: Revision }
  /** A client wants something; `answer` answers it. */
  | { kind: "requested"; call: ServedCall; request: ServerRequest; context: ServerContext }
  /** Nobody waits for the answer any more. */
  | { kind: "cancelled"; call?: ServedCall }
  /** A client wants to be told when a resource changes. */
  | { kind: "watched"; uri: string }
  /** A client does not want to be told any more. */
  | { kind: "unwatched"; uri: string }
  /** The client's folders are others than they were. */
  | { kind: "rootsChanged" }
  /** The client did something against the protocol. */
  | { kind: "peerViolated"; violation: Violation }
  /** The client has closed the session; calls under way may still be answered. */
  | { kind: "closed" }
  | { kind: "other" };

/** What a client wants of the application. `raw` is the text of `arguments`. */
export type ServerRequest =
  | { kind: "callTool"; name: string; arguments: JsonObject; raw: JsonText }
  | { kind: "readResource"; uri: string }
  | { kind: "getPrompt"; name: string; arguments: JsonObject; raw: JsonText }
  /** An argument is to be completed. */
  | {
      kind: "complete";
      /** The `ref` of the request. */
      reference: JsonObject;
      /** The argument's name, and what there is of its value. */
      argument: JsonObject;
      /** What is chosen already. */
      context?: JsonObject;
      /** The texts of these. */
      raw: { reference: JsonText; argument: JsonText; context?: JsonText };
    };

/** What came with a request. */
export interface ServerContext {
  /** The text of the request's id. */
  id: string;
  /** The revision that the client speaks. */
  revision: Revision;
  /** Who the client says it is. */
  client?: Implementation;
  /** What the client declares. */
  capabilities: JsonObject;
  /** What the client has answered so far, by key. */
  answers?: JsonObject;
  /** What the application gave along in the last round. */
  state?: string;
  /** The lowest level of log messages that the client wants of this request. */
  logLevel?: LogLevel;
  /** The client wants to be told how far the request is. */
  wantsProgress: boolean;
  /** The `_meta` of the request. */
  meta?: JsonObject;
  /** The texts of what the client sent. */
  raw: { capabilities: JsonText; answers?: JsonText; meta?: JsonText };
}

/** How a request ends: with its result, or without one. */
export type ServerAnswer =
  | { result: JsonObjectInput }
  /** The client must answer first; the request then comes again with its answers. */
  | { input: ServerInput }
  | { error: AskError }
  /** There is no such tool, resource or prompt. */
  | { notFound: true }
  /** The application failed; the client is told no more than that. */
  | { crashed: true };

/** What a client must answer before a request can go on. */
export interface ServerInput {
  /** What the client is asked. */
  questions?: readonly ServerQuestion[];
  /** What comes back in the context; the client can read it, but not change it. */
  state?: string;
}

/** A question to a client; its key tells the answer from those to other questions. */
export interface ServerQuestion {
  /** Names the question. */
  key: string;
  /** What kind of question it is. */
  what: Offered;
  /** The parameters of `sampling/createMessage`, `elicitation/create` or `roots/list`. */
  params: JsonObjectInput;
}
