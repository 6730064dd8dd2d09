// The places where the module is less precise than the listing.

import type { Loss } from "selvedge/web";

import { type Child, h } from "../dom.js";
import { plural } from "../numbers.js";
import { slicedFill, type Slow } from "../slices.js";
import type { Current } from "./view.js";

/** What the browser lays out at a time; it leaves out what is not seen. No part of a real table can be left out. */
const ROWS_PER_GROUP = 10;

export interface LossesTab {
  readonly element: HTMLElement;
  show(current: Current): void;
}

export function lossesTab(open: (tool: string) => void): LossesTab {
  const summary = h("p", { class: "dim" });
  const titles = ["Tool", "Place", "What is lost"].map((title) => h("span", { role: "columnheader" }, title));
  const head = h("div", { class: "losses-head", role: "rowgroup" }, h("div", { class: "loss", role: "row" }, ...titles));
  const groups = h("div");
  const fillGroups = slicedFill(groups);
  const table = h("div", { role: "table", "aria-label": "What the module says less precisely than the server" }, head, groups);
  const scroller = h("div", { class: "scroll losses", tabindex: 0, role: "region", "aria-label": "Losses" }, table);

  function row({ tool, path, message, reason }: Loss): HTMLElement {
    const link = h("button", { type: "button", class: "link", onclick: () => open(tool) }, tool);
    const cell = (...children: Child[]) => h("div", { role: "cell" }, ...children);
    return h("div", { class: "loss", role: "row" }, cell(tool === "" ? "all tools" : link), cell(h("code", {}, path || "/")), cell(message, " ", h("span", { class: "badge" }, reason)));
  }

  function* all(losses: readonly Loss[]): Slow<HTMLElement> {
    for (let first = 0; first < losses.length; first += ROWS_PER_GROUP) {
      const group = h("div", { class: "losses-group", role: "rowgroup" });
      for (const loss of losses.slice(first, first + ROWS_PER_GROUP)) {
        group.append(row(loss));
        yield undefined;
      }
      yield group;
    }
  }

  return {
    element: h("div", { class: "panel" }, summary, scroller),
    show({ result: { losses } }) {
      summary.textContent =
        losses.length === 0
          ? "Nothing is lost: the module says all that the listing says about its arguments and results."
          : `${plural(losses.length, "place")} where the module is less precise than the listing. Once a server's tools were listed, the engine checks the arguments of a call against the whole schema.`;
      scroller.hidden = losses.length === 0;
      fillGroups(all(losses));
    },
  };
}
