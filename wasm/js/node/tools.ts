// A server's tools as functions, without writing a module to a disk.

import type { GenerateOptions } from "selvedge";
import { type Call, call, callTyped } from "./support.js";
import type { CallSettings, Connection } from "./connection.js";

/** One tool as a function: what is `undefined` among its arguments is left out. */
export type ToolFunction = (args?: object) => Call<any>;

/** The methods of a generated class `Tools`, or any function for each tool where no type is given. */
export type LoadedTools<T> = { readonly [K in keyof T]: T[K] };

/**
 * Lists the server's tools and returns a function for each, under the names that the generated TypeScript module
 * has, with the same results and the same errors. Nothing is compiled and nothing is written.
 *
 * With the type of a generated module, `loadTools<Tools>(connection)` is typed as its class is.
 */
export async function loadTools<T = Record<string, ToolFunction>>(
  connection: Connection,
  options: Pick<GenerateOptions, "server" | "maxTools"> & CallSettings = {},
): Promise<LoadedTools<T>> {
  const { server, maxTools, ...settings } = options;
  const name = server ?? connection.serverName;
  const chosen = { server: name, language: "typescript", level: "names", maxSurfaceBytes: 64 << 20 } as const;
  const generated = await connection.generate(maxTools === undefined ? chosen : { ...chosen, maxTools }, settings);
  // Names come from a server: on an object without a prototype none of them means anything else.
  const tools: Record<string, ToolFunction> = Object.create(null);
  for (const { tool, name: own, hasResult } of generated.functions) {
    const make = hasResult ? callTyped : call;
    tools[own] = (args) => make(connection.invoke, name, tool, args);
  }
  return Object.freeze(tools) as LoadedTools<T>;
}
