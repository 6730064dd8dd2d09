// Lists the tools of a server, and calls one:
//
//   node list-and-call.mjs [TOOL [ARGUMENTS]] -- COMMAND [ARGS…]
//   node list-and-call.mjs get-sum '{"a": 2, "b": 40}' -- npx -y @modelcontextprotocol/server-everything

import { connect } from "selvedge/node";

const words = process.argv.slice(2);
const split = words.indexOf("--");
const [tool, args] = words.slice(0, split);
const [command, ...rest] = words.slice(split + 1);
if (split < 0 || command === undefined) {
  console.error("usage: node list-and-call.mjs [TOOL [ARGUMENTS]] -- COMMAND [ARGS…]");
  process.exit(2);
}

const connection = await connect({ command, args: rest });
try {
  const { name, version } = connection.handshake.server;
  console.log(`${name} ${version} speaks ${connection.handshake.revision}`);
  if (tool === undefined) {
    for (const { name, description } of (await connection.listTools()).items) {
      console.log(`${name}: ${(description ?? "").split("\n")[0]}`);
    }
  } else {
    const onProgress = ({ share }) => console.error(`${Math.round((share ?? 0) * 100)} %`);
    console.log((await connection.callTool(tool, JSON.parse(args ?? "{}"), { onProgress })).text);
  }
} finally {
  const evidence = await connection.close();
  console.log(`the server is gone: ${JSON.stringify(evidence)}`);
}
