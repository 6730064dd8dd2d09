// What a model reads, at each level, and what it costs.

import type { Level } from "selvedge/web";

import { button, copy, fill, h } from "../dom.js";
import { bytes } from "../numbers.js";
import { codeBox } from "../code-box.js";
import type { LevelResult } from "./protocol.js";
import { type Counter, written } from "./tokens.js";
import type { Current } from "./view.js";

const MEANINGS: Record<Level, string> = {
  names: "names only",
  "two-line": "a line of prose, a signature",
  notes: "and notes on parameters",
  full: "all that is known",
};

export interface SurfaceTab {
  readonly element: HTMLElement;
  prefer(level: string | undefined): void;
  show(current: Current, counter: Counter): void;
}

export function surfaceTab(chosen: (level: string) => void): SurfaceTab {
  // Rows from the start, so that nothing moves when the figures come.
  const rows = h("tbody", {}, ...Object.keys(MEANINGS).map(() => h("tr", {}, h("td", { colspan: 4 }, "\u00a0"))));
  const table = h(
    "table",
    { class: "levels" },
    h("caption", { class: "unseen" }, "Levels of the surface and their sizes"),
    h("thead", {}, h("tr", {}, ...["Level", "Tokens", "Bytes", "Of the JSON"].map((title) => h("th", { scope: "col" }, title)))),
    rows,
  );
  const box = codeBox("What a model reads");
  const problem = h("p", { class: "notice", hidden: true });
  const copyButton = button("Copy", () => void copy(text() ?? "", "the surface"));
  const title = h("h2", { class: "grow title" }, "Surface");
  let preferred: string | undefined;
  let current: Current | undefined;
  let isRequested = false;

  function level(): Level {
    const known = current?.result.levels.find((result) => result.level === preferred);
    return known?.level ?? current?.result.best.level ?? "names";
  }

  function found(): LevelResult | undefined {
    return current?.result.levels.find((result) => result.level === level());
  }

  function text(): string | undefined {
    const result = found();
    return result && "text" in result ? result.text : undefined;
  }

  function choose(next: Level): void {
    preferred = next;
    chosen(next);
    shown();
  }

  function shown(): void {
    const result = found();
    if (!current || !result) return;
    title.textContent = `Surface, ${result.level}`;
    problem.hidden = "text" in result;
    box.element.hidden = !("text" in result);
    copyButton.disabled = !("text" in result);
    if ("text" in result) box.show(result.text, current.language);
    else problem.textContent = `This level does not fit: ${result.fault.message}.`;
    for (const row of rows.querySelectorAll("tr")) row.classList.toggle("chosen", row.dataset["level"] === result.level);
  }

  function asked(result: LevelResult): Row {
    const isBest = result.level === current?.result.best.level;
    return { isChosen: result.level === level(), isBest, choose: () => choose(result.level) };
  }

  return {
    element: h("div", { class: "panel" }, table, h("div", { class: "row toolbar" }, title, copyButton), problem, box.element),
    prefer(next) {
      preferred = next;
      isRequested = next !== undefined;
    },
    show(next, counter) {
      // Another listing may fit richer or poorer: the level is kept only where the person chose it.
      if (current && current.listing.text !== next.listing.text && !isRequested) preferred = undefined;
      current = next;
      const focused = document.activeElement?.id;
      const base = counter.now(next.listing.text).tokens;
      fill(rows, ...next.result.levels.map((result) => levelRow(result, base, counter, asked(result))));
      if (focused?.startsWith("level-")) document.getElementById(focused)?.focus();
      shown();
    },
  };
}

interface Row {
  isChosen: boolean;
  /** The richest level that fits. */
  isBest: boolean;
  choose(): void;
}

function levelRow(result: LevelResult, base: number, counter: Counter, { isChosen, isBest, choose }: Row): HTMLElement {
  const id = `level-${result.level}`;
  const radio = h("input", { type: "radio", name: "level", id, value: result.level, onchange: choose });
  radio.checked = isChosen;
  const label = h("td", {}, radio, h("label", { for: id }, h("b", {}, result.level), isBest && h("span", { class: "badge" }, "richest that fits"), h("span", { class: "dim meaning" }, MEANINGS[result.level])));
  if ("fault" in result) {
    return h("tr", { "data-level": result.level }, label, h("td", { colspan: 3, class: "dim" }, "does not fit"));
  }
  const size = counter.now(result.text);
  const share = size.tokens / Math.max(1, base);
  const bar = h("span", { class: "bar-fill" });
  bar.style.setProperty("inline-size", `${Math.min(100, share * 100)}%`);
  bar.classList.toggle("beyond", share > 1);
  return h(
    "tr",
    { "data-level": result.level },
    label,
    h("td", { class: "number" }, written(size)),
    h("td", { class: "number" }, bytes(result.bytes)),
    h("td", { class: "share" }, h("span", { class: "bar-line", "aria-hidden": "true" }, bar), h("span", { class: "number" }, `${(share * 100).toFixed(0)} %`)),
  );
}
