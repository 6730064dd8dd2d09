// Times other generators of TypeScript: `node rivals.mjs RIVALS < LISTING` prints one line of numbers, the
// microseconds and the bytes of json-schema-to-typescript and of `mcporter emit-ts`, in this order; a generator that
// fails has -1. Both run warm and without what they need not do here: no formatting, no server, no file.
import path from "node:path";
import { text as whole } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const from = (file) => import(pathToFileURL(path.join(process.argv[2], "node_modules", file)).href);
const { compile } = await from("json-schema-to-typescript/dist/src/index.js");
const { renderTypesModule, renderClientModule } = await from("mcporter/dist/cli/emit-ts-templates.js");
const { buildToolDoc } = await from("mcporter/dist/cli/list-detail-helpers.js");
const { buildToolMetadata } = await from("mcporter/dist/cli/generate/tools.js");

const text = await whole(process.stdin);
const parse = () => {
  const listing = JSON.parse(text);
  return listing.result?.tools ?? listing.tools ?? listing;
};

async function schemas() {
  const options = { bannerComment: "", format: false, $refOptions: { resolve: { http: false, file: false } } };
  const parts = [];
  for (const tool of parse()) {
    for (const [suffix, schema] of [["Arguments", tool.inputSchema], ["Result", tool.outputSchema]]) {
      if (schema) parts.push(await compile(schema, `${tool.name} ${suffix}`, options));
    }
  }
  return parts.join("\n");
}

async function client() {
  const docs = parse().map((listed) => {
    const { tool, options, methodName } = buildToolMetadata(listed);
    const { name: toolName, description, outputSchema } = tool;
    const how = { requiredOnly: false, colorize: false, defaultReturnType: "CallResult" };
    const doc = buildToolDoc({ serverName: "bench", toolName, description, outputSchema, options, ...how });
    return { toolName, methodName, doc };
  });
  const metadata = { server: { name: "bench", command: { kind: "stdio", command: "x", args: [] } }, generatorLabel: "", generatedAt: new Date(0) };
  const input = { interfaceName: "BenchTools", docs, metadata, typesImportPath: "./types" };
  return renderTypesModule(input) + renderClientModule(input);
}

const numbers = [];
for (const generate of [schemas, client]) {
  try {
    let best = Infinity;
    let bytes = 0;
    const end = performance.now() + 1_500;
    for (let run = 0; run < 25 && (run < 3 || performance.now() < end); run += 1) {
      const started = performance.now();
      bytes = Buffer.byteLength(await generate());
      best = Math.min(best, performance.now() - started);
    }
    numbers.push(Math.round(best * 1_000), bytes);
  } catch (error) {
    console.error(String(error).slice(0, 200));
    numbers.push(-1, -1);
  }
}
console.log(numbers.join(" "));
