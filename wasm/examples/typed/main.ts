// Calls a server through the module that was generated from its listing:
//
//   node generate.mjs -- COMMAND [ARGS…]     writes everything.ts and selvedge.ts
//   tsc -p . && node out/main.js -- COMMAND [ARGS…]

import { type ConnectOptions, connect, loadTools } from "selvedge/node";
import { Tools } from "./everything.js";

export async function main(server: ConnectOptions): Promise<string[]> {
  await using connection = await connect(server);

  // The generated class, over this connection.
  const tools = new Tools(connection.invoke);
  const sum = await tools.get_sum_2fb224d8({ a: 2, b: 40 });
  const weather = await tools.get_structured_content_d8b7183f({ location: "Chicago" });

  // The same functions without a module on disk, typed by the class.
  const live = await loadTools<Tools>(connection, { server: "everything" });
  const echo = await live.echo({ message: "woven" });

  return [sum.text, `${weather.structured.temperature}`, echo.text];
}

const [command, ...args] = process.argv.slice(process.argv.indexOf("--") + 1);
if (command !== undefined) console.log((await main({ command, args })).join("\n"));
