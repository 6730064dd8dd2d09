// The tools one by one, and the list of what could not be said.

import type { GeneratedFunction, Loss } from "selvedge/web";

import { codeBox } from "../code-box.js";
import { copy, fill, h, plural } from "../dom.js";
import type { Current } from "./view.js";

/** How many rows are made at once; the rest is a button away. */
const PAGE = 200;

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
  const box = codeBox("All that is known of the tool");
  const title = h("h2", { class: "grow title" }, "Tool");
  const losses = h("ul", { class: "tool-losses" });
  let current: Current | undefined;
  let chosen: string | undefined;
  let text = "";
  const copyButton = h("button", { type: "button", class: "button", onclick: () => void copy(text, "the detail") }, "Copy");
  filter.addEventListener("input", render);

  function render(): void {
    const wanted = filter.value.toLowerCase();
    const functions = (current?.result.module.functions ?? []).filter(({ tool, name }) => `${tool}\n${name}`.toLowerCase().includes(wanted));
    paged(list, functions, entry);
    if (functions.length === 0) fill(list, h("li", { class: "dim" }, current?.result.module.functions.length ? "No tool is called so." : "The listing has no tools."));
  }

  function entry({ tool, name, hasResult }: GeneratedFunction): HTMLElement {
    const count = current?.result.module.losses.filter((loss) => loss.tool === tool).length ?? 0;
    const button = h(
      "button",
      { type: "button", class: "tool", "data-tool": tool, "aria-pressed": String(tool === chosen), onclick: () => (chose(tool), void open(tool)) },
      h("b", {}, name),
      tool !== name && h("span", { class: "dim" }, tool),
      hasResult && h("span", { class: "badge" }, "typed result"),
      count > 0 && h("span", { class: "badge warn" }, plural(count, "loss", "losses")),
    );
    return h("li", {}, button);
  }

  async function open(tool: string): Promise<void> {
    const mine = current;
    if (!mine) return;
    chosen = tool;
    for (const button of list.querySelectorAll<HTMLElement>(".tool")) button.setAttribute("aria-pressed", String(button.dataset["tool"] === tool));
    const found = await detail(tool, mine);
    if (mine !== current || chosen !== tool) return;
    text = found;
    title.textContent = tool || "(no name)";
    box.show(found, mine.language);
    const own = mine.result.module.losses.filter((loss) => loss.tool === tool);
    paged(losses, own, (loss) => h("li", {}, h("code", {}, loss.path || "/"), ` ${loss.message}`));
  }

  return {
    element: h("div", { class: "panel split" }, h("div", { class: "side" }, filter, list), h("div", { class: "main" }, h("div", { class: "row toolbar" }, title, copyButton), losses, box.element)),
    show(next) {
      current = next;
      const { functions } = next.result.module;
      const tool = functions.find((known) => known.tool === chosen)?.tool ?? functions[0]?.tool;
      chosen = tool;
      render();
      if (tool !== undefined) void open(tool);
      else box.show("", next.language);
    },
    prefer(tool) {
      chosen = tool;
    },
    open(tool) {
      filter.value = "";
      render();
      void open(tool);
      list.querySelector<HTMLElement>(`[data-tool="${CSS.escape(tool)}"]`)?.focus();
    },
  };
}

export function lossesTab(open: (tool: string) => void): { readonly element: HTMLElement; show(current: Current): void } {
  const rows = h("tbody");
  const summary = h("p", { class: "dim" });
  const head = h("thead", {}, h("tr", {}, ...["Tool", "Place", "What is lost"].map((title) => h("th", { scope: "col" }, title))));
  const table = h("table", { class: "losses" }, h("caption", { class: "unseen" }, "What the module says less precisely than the server"), head, rows);

  function row({ tool, path, message, reason }: Loss): HTMLElement {
    const link = h("button", { type: "button", class: "link", onclick: () => open(tool) }, tool);
    return h("tr", {}, h("td", {}, tool === "" ? "all tools" : link), h("td", {}, h("code", {}, path || "/")), h("td", {}, message, " ", h("span", { class: "badge" }, reason)));
  }

  return {
    element: h("div", { class: "panel" }, summary, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Losses" }, table)),
    show({ result }) {
      const { losses } = result.module;
      summary.textContent =
        losses.length === 0
          ? "Nothing is lost: the module says all that the listing says about its arguments and results."
          : `${plural(losses.length, "place")} where the module is less precise than the listing. Once a server's tools were listed, the engine checks the arguments of a call against the whole schema.`;
      table.hidden = losses.length === 0;
      paged(rows, losses, row);
    },
  };
}

/** Fills a list, a page at a time. */
function paged<T>(list: HTMLElement, items: readonly T[], make: (item: T) => HTMLElement): void {
  const isTable = list.tagName === "TBODY";
  function more(from: number): void {
    list.append(...items.slice(from, from + PAGE).map(make));
    const rest = items.length - from - PAGE;
    if (rest <= 0) return;
    const button = h("button", { type: "button", class: "button", onclick: () => (holder.remove(), more(from + PAGE)) }, `Show more (${rest})`);
    const holder = isTable ? h("tr", {}, h("td", { colspan: 3 }, button)) : h("li", {}, button);
    list.append(holder);
  }
  fill(list);
  more(0);
}
