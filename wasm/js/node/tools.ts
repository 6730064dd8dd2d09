// A server's tools as functions, without writing a module to a disk.

import type { GenerateOptions } from "selvedge";
import { must } from "@door";
import { shows } from "./codes.js";
import type { CallSettings, Connection } from "./connection.js";
import { checkLoad } from "./options.js";
import { type Call, Denied, McpError, ResultMalformed, ResultSchemaMismatch, ServerUnavailable, ToolFailed } from "./support.js";
import { call, callTyped } from "./support.js";

shows(McpError, "McpError");
shows(ToolFailed, "ToolFailed", "toolFailed");
shows(ServerUnavailable, "ServerUnavailable", "unavailable");
shows(Denied, "Denied");
shows(ResultMalformed, "ResultMalformed", "malformed");
shows(ResultSchemaMismatch, "ResultSchemaMismatch", "badResult");

/** One tool as a function: what is `undefined` among its arguments is left out. */
export type ToolFunction = (args?: object) => Call<any>;

/** The methods of a generated class `Tools`, or any function for each tool where no type is given. */
export type LoadedTools<T> = { readonly [K in keyof T]: T[K] };

/** What a promise takes for another promise when it is resolved with an object that has it. */
const NEVER_A_KEY = "then";

/**
 * Lists the server's tools and returns a function for each, under the tool's own name and under the name that the
 * generated TypeScript module has for it, with the same results and the same errors. Nothing is compiled and nothing is
 * written.
 *
 * Where a tool's own name is the generated name of another, the generated one counts; a tool called `then` has only
 * its generated name. With the type of a generated module, `loadTools<Tools>(connection)` is typed as its class is.
 */
export async function loadTools<T = Record<string, ToolFunction>>(
  connection: Connection,
  options: Pick<GenerateOptions, "server" | "maxTools"> & CallSettings = {},
): Promise<LoadedTools<T>> {
  if (typeof connection?.generate !== "function") throw must("connection", "a Connection", connection);
  const { server, maxTools, ...settings } = checkLoad(options);
  const name = server ?? connection.serverName;
  const chosen = { server: name, language: "typescript", level: "names", maxSurfaceBytes: 64 << 20 } as const;
  const generated = await connection.generate(maxTools === undefined ? chosen : { ...chosen, maxTools }, settings);
  // Names come from a server: on an object without a prototype none of them means anything else.
  const tools: Record<string, ToolFunction> = Object.create(null);
  const functions = generated.functions.map(({ tool, name: own, hasResult }): [string, string, ToolFunction] => {
    const make = hasResult ? callTyped : call;
    return [tool, own, (args) => make(connection.invoke, name, tool, args)];
  });
  for (const [, own, run] of functions) if (own !== NEVER_A_KEY) tools[own] = run;
  for (const [tool, , run] of functions) if (tool !== NEVER_A_KEY) tools[tool] ??= run;
  return Object.freeze(tools) as LoadedTools<T>;
}
