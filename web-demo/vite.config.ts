// Builds the page: everything beside it, nothing inline, and a list of all files for the worker that keeps them.

import { defineConfig, type Plugin } from "vite";

/** The policy of a page that is served: what a meta tag cannot say stands here. */
const headers = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

export default defineConfig({
  base: "./",
  worker: { format: "es" },
  build: {
    target: ["chrome100", "firefox104", "safari16"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The ranks of the tokenizer are one large table, read by a worker of their own.
    chunkSizeWarningLimit: 4_096,
  },
  server: { fs: { allow: [".."] } },
  preview: { headers },
  plugins: [keepOffline(), relaxWhileDeveloping()],
});

/** Writes `offline.js`: a service worker that keeps exactly the files of this build. */
function keepOffline(): Plugin {
  return {
    name: "keep-offline",
    apply: "build",
    enforce: "post",
    async generateBundle(_, bundle) {
      const files = ["./", "./icon.svg", ...Object.keys(bundle).filter((name) => name !== "index.html").map((name) => `./${name}`)];
      const { createHash } = await import("node:crypto");
      const { readFile } = await import("node:fs/promises");
      const digest = createHash("sha256");
      for (const name of Object.keys(bundle).sort()) {
        const part = bundle[name];
        digest.update(name).update(part?.type === "chunk" ? part.code : (part?.source ?? ""));
      }
      const version = digest.digest("hex").slice(0, 16);
      const template = await readFile(new URL("./src/offline.js", import.meta.url), "utf8");
      const source = template.replace("__VERSION__", version).replace('["__FILES__"]', () => JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "offline.js", source });
    },
  };
}

/** The development server writes styles into the page, which the real policy forbids. */
function relaxWhileDeveloping(): Plugin {
  return {
    name: "relax-while-developing",
    apply: "serve",
    transformIndexHtml: { order: "pre", handler: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, "") },
  };
}
