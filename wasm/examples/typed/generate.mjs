// Writes the module of a server, and what it needs beside it, into this folder:
//
//   node generate.mjs -- COMMAND [ARGS…]

import { writeFileSync } from "node:fs";
import { connect } from "selvedge/node";

const [command, ...args] = process.argv.slice(process.argv.indexOf("--") + 1);
const connection = await connect({ command, args });
const { path, source, support, losses } = await connection.generate({ server: "everything" });
for (const file of [{ path, text: source }, ...support]) {
  writeFileSync(new URL(file.path, import.meta.url), file.text);
}
for (const { tool, path, message } of losses) console.log(`${tool}${path}: ${message}`);
await connection.close();
