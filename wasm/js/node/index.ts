// `selvedge/node`: servers as processes, calls as promises.

export { connect, Connection } from "./connection.js";
export type { CallSettings, ConnectOptions, Handler } from "./connection.js";
export { CallFailed, ConnectError, HarnessError, RetirementFailed } from "./errors.js";
export { ToolAnswer } from "./result.js";
export type { ContentBlock } from "./result.js";
export type { ServerCommand } from "./process.js";
export { loadTools } from "./tools.js";
export type { LoadedTools, ToolFunction } from "./tools.js";
export { Denied, McpError, ResultMalformed, ResultSchemaMismatch, ServerUnavailable, ToolFailed, ToolResult } from "./support.js";
export type { Answer, Call, Content, Fault, Invoke, Json, JsonObject } from "./support.js";
