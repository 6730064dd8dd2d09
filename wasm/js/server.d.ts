/** How a server behaves; what is absent keeps its default. */
export interface ServerConfig {
  implementation?: Partial<Implementation>;
  instructions?: string;
  /** The tools, each as the text of the object that `tools/list` shows. */
  tools?: JsonText[];
  framing?: Framing;
  limits?: Partial<Limits>;
}

/** Names a call that a client makes while it is under way. */
export type ServedCall = number;

/** What the server asks its host to do next, oldest first. */
export type ServerEffect = { kind: "send"; bytes: Uint8Array } | { kind: "event"; event: ServerEvent };

export type ServerEvent =
  /** A client has shaken hands. */
  | { kind: "initialized"; client: Implementation; revision: Revision }
  /** A client calls a tool; `answer` answers it. */
  | { kind: "called"; call: ServedCall; name: string; arguments: JsonText }
  /** The client does not want the answer any more. */
  | { kind: "cancelled"; call?: ServedCall }
  | { kind: "peerViolated"; violation: Violation }
  /** The client has closed the session; calls under way may still be answered. */
  | { kind: "closed" }
  | { kind: "other" };
