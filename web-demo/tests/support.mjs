// What the tests of the page share: the built page on a free port, a browser, and a watch on what must not happen.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";
import { preview } from "vite";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const pictures = process.env.SELVEDGE_PICTURES ?? join(root, "target", "web-demo");
mkdirSync(pictures, { recursive: true });

const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

/** Serves the built page and starts a browser; `close` ends both. */
export async function start() {
  const server = await preview({
    root: fileURLToPath(new URL("..", import.meta.url)),
    preview: { port: 0, host: "127.0.0.1", open: false },
    logLevel: "error",
  });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
  const origin = `http://127.0.0.1:${server.httpServer.address().port}`;
  return {
    origin,
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Opens the page in a context of its own; `complaints` fills with what a clean page never does. */
export async function open({ browser, origin }, { fragment = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("blob:")) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(`${origin}/${fragment}`);
  return { page, context, complaints };
}

export function picture(page, name) {
  return page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Waits for the panel of a tab to show this text. */
export function shows(page, panel, text) {
  return page.locator(panel).filter({ hasText: text }).first().waitFor();
}

/**
 * Returns the longest task of the page's main thread in each step, in milliseconds: of the processor, which what else
 * the machine does hardly changes, and by the clock. `act` is given a function that begins a step.
 */
export async function tasksOf({ browser }, page, act) {
  const begin = (step) => page.evaluate((name) => void performance.mark(name), `step ${step}`);
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  await act(begin);
  await begin("end");
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const marks = traceEvents.filter(({ cat, name }) => cat?.includes("user_timing") && name.startsWith("step "));
  const tasks = traceEvents.filter(({ name, pid, tid, tdur }) => name.endsWith("RunTask") && pid === marks[0].pid && tid === marks[0].tid && tdur > 0);
  return Object.fromEntries(marks.slice(0, -1).map(({ name, ts }, index) => {
    const own = tasks.filter((task) => task.ts >= ts && task.ts < marks[index + 1].ts);
    return [name.slice("step ".length), { cpu: Math.max(...own.map(({ tdur }) => tdur)) / 1_000, wall: Math.max(...own.map(({ dur }) => dur)) / 1_000 }];
  }));
}
