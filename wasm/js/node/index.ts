// `selvedge/node`: servers as processes, calls as promises.

export { SelvedgeError } from "selvedge";
export type { ContentBlock } from "selvedge";
export { connect, Connection } from "./connection.js";
export type { CallSettings, ConnectOptions, Handler, RawRequestSettings, RequestSettings } from "./connection.js";
export { AbortError, CallFailed, ConnectError, RetirementFailed } from "./errors.js";
export { ToolAnswer } from "./result.js";
export type { ServerCommand } from "./process.js";
export { loadTools } from "./tools.js";
export type { LoadedTools, ToolFunction } from "./tools.js";
export { Denied, McpError, ResultMalformed, ResultSchemaMismatch, ServerUnavailable, ToolFailed, ToolResult } from "./support.js";
export type { Answer, Call, Content, Fault, Invoke, Json, JsonObject } from "./support.js";
