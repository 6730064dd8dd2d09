// The tools one by one, in full.

import type { GeneratedFunction, Loss } from "selvedge/web";

import { codeBox } from "../code-box.js";
import { button, copy, h } from "../dom.js";
import { plural } from "../numbers.js";
import { slicedFill, type Slow } from "../slices.js";
import type { Current } from "./view.js";

export interface ToolsTab {
  readonly element: HTMLElement;
  show(current: Current): void;
  /** Chooses a tool when it is there. */
  prefer(tool: string): void;
  open(tool: string): void;
}

export function toolsTab(detail: (tool: string, current: Current) => Promise<string>, chose: (tool: string) => void): ToolsTab {
  const filter = h("input", { type: "search", id: "filter", placeholder: "Filter", "aria-label": "Filter the tools" });
  const list = h("ul", { class: "tools" });
  const fillList = slicedFill(list);
  const box = codeBox("All that is known of the tool");
  const title = h("h2", { class: "grow title" }, "Tool");
  const losses = h("ul", { class: "tool-losses", tabindex: 0, "aria-label": "Losses of the tool", hidden: true });
  const fillLosses = slicedFill(losses);
  let current: Current | undefined;
  let lossesOf = new Map<string, Loss[]>();
  let chosen: string | undefined;
  /** The tool whose entry takes the focus when it is made. */
  let sought: string | undefined;
  let text = "";
  const copyButton = button("Copy", () => void copy(text, "the detail"));
  filter.addEventListener("input", () => fillList(entries()));

  function* entries(): Slow<HTMLElement> {
    const all = current?.result.functions ?? [];
    const wanted = filter.value.toLowerCase();
    const found = all.filter(({ tool, name }) => `${tool}\n${name}`.toLowerCase().includes(wanted));
    if (found.length === 0) yield h("li", { class: "dim" }, all.length > 0 ? "No tool has such a name." : "The listing has no tools.");
    for (const known of found) {
      const made = entry(known);
      yield h("li", {}, made);
      if (known.tool !== sought) continue;
      sought = undefined;
      made.focus();
    }
  }

  function entry({ tool, name, hasResult }: GeneratedFunction): HTMLElement {
    const count = lossesOf.get(tool)?.length ?? 0;
    return h(
      "button",
      { type: "button", class: "tool", "data-tool": tool, "aria-pressed": String(tool === chosen), onclick: () => (chose(tool), void open(tool)) },
      h("b", {}, name),
      tool !== name && h("span", { class: "dim" }, tool),
      hasResult && h("span", { class: "badge" }, "typed result"),
      count > 0 && h("span", { class: "badge warn" }, plural(count, "loss", "losses")),
    );
  }

  async function open(tool: string): Promise<void> {
    const mine = current;
    if (!mine) return;
    chosen = tool;
    for (const known of list.querySelectorAll<HTMLElement>(".tool")) known.setAttribute("aria-pressed", String(known.dataset["tool"] === tool));
    const found = await detail(tool, mine);
    if (mine !== current || chosen !== tool) return;
    text = found;
    title.textContent = tool || "(no name)";
    box.show(found, mine.language);
    fillLosses(own(lossesOf.get(tool) ?? []));
  }

  function* own(all: readonly Loss[]): Slow<HTMLElement> {
    losses.hidden = all.length === 0;
    for (const { path, message } of all) yield h("li", {}, h("code", {}, path || "/"), ` ${message}`);
  }

  return {
    element: h("div", { class: "panel split" }, h("div", { class: "side" }, filter, list), h("div", { class: "main" }, h("div", { class: "row toolbar" }, title, copyButton), losses, box.element)),
    show(next) {
      current = next;
      lossesOf = byTool(next.result.losses);
      const { functions } = next.result;
      chosen = functions.find((known) => known.tool === chosen)?.tool ?? functions[0]?.tool;
      fillList(entries());
      if (chosen !== undefined) void open(chosen);
      else box.show("", next.language);
    },
    prefer(tool) {
      chosen = tool;
    },
    open(tool) {
      filter.value = "";
      sought = tool;
      fillList(entries());
      void open(tool);
    },
  };
}

function byTool(losses: readonly Loss[]): Map<string, Loss[]> {
  const found = new Map<string, Loss[]>();
  for (const loss of losses) {
    const known = found.get(loss.tool);
    if (known) known.push(loss);
    else found.set(loss.tool, [loss]);
  }
  return found;
}
