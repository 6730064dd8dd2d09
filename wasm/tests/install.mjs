// A project of a user: the package packed and installed, a browser, and a server for pages.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { packed, root } from "./support.mjs";

export const tools = join(root, "wasm", "node_modules");

/** Packs the package and installs it into a new project. */
export function project(name) {
  const folder = mkdtempSync(join(tmpdir(), `selvedge-${name}-`));
  const app = join(folder, "app");
  mkdirSync(app);
  const run = (command, args, options = {}) =>
    execFileSync(command, args, { cwd: app, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
  const write = (path, text) => {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), text);
  };
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: packed }));
  write("package.json", '{ "name": "app", "private": true }');
  run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, filename)]);
  return { folder, app, run, write, installed: join(app, "node_modules", "selvedge") };
}

/** Starts a browser. */
export function chromium() {
  const { chromium } = createRequire(join(tools, "x.js"))("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}

/** Loads a page and returns what it says in its title, once it says something, and what it complained about. */
export async function visit(browser, url) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(url);
  await page.waitForFunction(() => document.title !== "");
  const title = await page.title();
  await page.close();
  return { title, complaints };
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** Serves a folder on a free port of this machine. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    try {
      const body = readFileSync(join(folder, path));
      response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
