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
  wantsProgress: boolean;
  meta?: JsonText;
}

/** How a request ends: with the text of its result, or without one. */
export type ServerAnswer =
  | { result: JsonText }
  | { error: { code: number; message: string; data?: JsonText } }
  | { notFound: true }
  | { crashed: true };
