// The strip of figures above the tabs: what the listing costs, and what is left of that.

import { fill, h } from "../dom.js";
import { bytes, thousands } from "../numbers.js";
import { type Counter, written } from "./tokens.js";
import type { Current } from "./view.js";

export interface SizesBar {
  readonly element: HTMLElement;
  show(current: Current, counter: Counter): void;
  clear(): void;
}

export function sizesBar(): SizesBar {
  const tools = figure("Tools");
  const raw = figure("Raw JSON");
  const surface = figure("A model reads");
  const share = figure("Of the JSON");
  const took = figure("Generated in");
  const all = [tools, raw, surface, share, took];
  return {
    element: h("dl", { class: "figures" }, ...all.map(({ element }) => element)),
    show({ listing, result: { functions, best, took: worked } }, counter) {
      const before = counter.now(listing.text);
      const after = counter.now(best.text);
      tools.set(thousands(functions.length), "");
      raw.set(written(before), `tokens · ${bytes(listing.bytes)}`);
      surface.set(written(after), `tokens · ${bytes(best.bytes)}`);
      share.set(`${((100 * after.tokens) / Math.max(1, before.tokens)).toFixed(0)} %`, `level ${best.level}`);
      took.set(`${worked.toFixed(worked < 10 ? 1 : 0)} ms`, "in a worker");
    },
    clear() {
      for (const { set } of all) set("–", "");
    },
  };
}

function figure(title: string): { element: HTMLElement; set(value: string, more: string): void } {
  const value = h("dd", { class: "figure" }, "–");
  const more = h("dd", { class: "dim" }, "\u00a0");
  return {
    element: h("div", {}, h("dt", {}, title), value, more),
    set(text, rest) {
      value.textContent = text;
      fill(more, rest || "\u00a0");
    },
  };
}
