// What can be picked: listings as real servers have them, and the hostile ones that the generator is tested with.

import desk from "./desk.json?raw";
import notes from "./notes.json?raw";
import tracker from "./tracker.json?raw";
import warehouse from "./warehouse.json?raw";

import cutComment from "../../../tests/fixtures/generator/G14.json";
import cutDocstring from "../../../tests/fixtures/generator/G15.json";
import directives from "../../../tests/fixtures/generator/G17.json";
import graph from "../../../tests/fixtures/generator/G55.json";
import imitation from "../../../tests/fixtures/generator/G20.json";
import lineEnds from "../../../tests/fixtures/generator/G16.json";
import longText from "../../../tests/fixtures/generator/G19.json";
import loops from "../../../tests/fixtures/generator/G52.json";
import oneName from "../../../tests/fixtures/generator/G02.json";
import prototypes from "../../../tests/fixtures/generator/G05.json";
import scriptEnds from "../../../tests/fixtures/generator/G13.json";
import serverName from "../../../tests/fixtures/generator/G10.json";
import unseen from "../../../tests/fixtures/generator/G18.json";

export interface Sample {
  id: string;
  title: string;
  server: string;
  text: string;
}

export const REALISTIC: readonly Sample[] = [
  { id: "notes", title: "Notes: 4 tools, a result", server: "notes", text: notes },
  { id: "tracker", title: "Issue tracker: recursive filters, a whole response", server: "tracker", text: tracker },
  { id: "warehouse", title: "Warehouse: SQL, tuples, merged schemas", server: "warehouse", text: warehouse },
  { id: "desk", title: "Remote desktop: a bare array of tools", server: "desk", text: desk },
];

export const HOSTILE: readonly Sample[] = [
  hostile("markup", "Markup and scripts everywhere", { server: "</title><script>", listing: markup() }),
  hostile("script-ends", "Texts that end scripts and templates", scriptEnds),
  hostile("comment", "A description that ends a comment", cutComment),
  hostile("docstring", "A description that ends a docstring", cutDocstring),
  hostile("line-ends", "Every kind of line end before code", lineEnds),
  hostile("directives", "Directives for compilers in comments", directives),
  hostile("unseen", "Characters that nobody sees", unseen),
  hostile("imitation", "A description that imitates our headings", imitation),
  hostile("prototypes", "Names that mean something to an object", prototypes),
  hostile("server-name", "A server name that is code", serverName),
  hostile("one-name", "Two tools of one name", oneName),
  hostile("loops", "References that lead to themselves", loops),
  hostile("long-text", "Words without end", longText),
  hostile("graph", "A graph that unfolds without end", graph),
];

export const SAMPLES: readonly Sample[] = [...REALISTIC, ...HOSTILE];

function hostile(id: string, title: string, fixture: { server: string; listing: unknown }): Sample {
  return { id, title, server: fixture.server, text: JSON.stringify(fixture.listing, null, 2) };
}

function markup(): unknown {
  const image = '<img src=x onerror="document.title=1">';
  const schema = {
    type: "object",
    properties: { [image]: { type: "string", description: "<svg onload=alert(1)>" }, kind: { enum: ["</pre><script>alert(1)</script>", "javascript:alert(1)"] } },
    required: [image],
  };
  return [{ name: "<script>alert(1)</script>", description: `</code></pre>${image}<style>*{display:none}</style>`, inputSchema: schema }];
}
