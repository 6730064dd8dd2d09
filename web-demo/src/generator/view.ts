// The view "Listing to code": a listing on one side, what becomes of it on the other.

import type { GenerateOptions, Language } from "selvedge/web";

import { announce, byId, fill, h } from "../dom.js";
import { note, pack, readFragment, unpack } from "../fragment.js";
import { SAMPLES } from "../samples/index.js";
import { tabs } from "../tabs.js";
import { Engine, NotGenerated } from "./engine.js";
import { explain } from "./faults.js";
import { InputPane } from "./input.js";
import { lossesTab } from "./losses-tab.js";
import { moduleTab } from "./module-tab.js";
import type { Fault, Result, Sized } from "./protocol.js";
import { sizesBar } from "./sizes-bar.js";
import { surfaceTab } from "./surface-tab.js";
import { Counter } from "./tokens.js";
import { toolsTab } from "./tools-tab.js";

/** What the tabs of languages mean; `loom` is the fixed form in Gleam. */
const DIALECTS = ["typescript", "python", "rust", "gleam", "loom"] as const;
export type Dialect = (typeof DIALECTS)[number];
const DIALECT_TITLES: Record<Dialect, string> = {
  typescript: "TypeScript",
  python: "Python",
  rust: "Rust",
  gleam: "Gleam",
  loom: "Gleam, loom",
};

const SHOWN = ["surface", "module", "tools", "losses"] as const;
type Shown = (typeof SHOWN)[number];

/** What the tabs know about the listing that is shown. */
export interface Current {
  listing: Sized;
  options: GenerateOptions;
  language: Language;
  result: Result;
}

/** How long the person must rest before what they type is taken. */
const REST = 150;

export class CodeView {
  readonly #engine = new Engine();
  readonly #counter = new Counter();
  readonly #input: InputPane;
  readonly #sizes = sizesBar();
  readonly #surface = surfaceTab((level) => note({ level }));
  readonly #module = moduleTab();
  readonly #tools = toolsTab((tool, current) => this.#detail(tool, current), (tool) => note({ tool }));
  readonly #losses = lossesTab((tool) => this.#openTool(tool));
  readonly #fault = h("div", { class: "fault", role: "alert", hidden: true });
  readonly #output = h("div", { class: "output" });
  readonly #dialects;
  readonly #shown;
  #dialect: Dialect = "typescript";
  #current: Current | undefined;
  /** What was drawn of the current listing; what nobody looks at is not. */
  readonly #drawn = new Set<Shown>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    this.#input = new InputPane({
      changed: (delay) => this.#later(delay ? REST : 0),
      sampled: (sample) => note({ sample, z: undefined, server: undefined }),
    });
    const dialects = h("div", { class: "tabs", role: "tablist", "aria-label": "Language" }, ...DIALECTS.map(dialectTab));
    const shown = h("div", { class: "subtabs", role: "tablist", "aria-label": "What is shown" }, ...SHOWN.map(shownTab));
    const panels: Record<Shown, HTMLElement> = {
      surface: this.#surface.element,
      module: this.#module.element,
      tools: this.#tools.element,
      losses: this.#losses.element,
    };
    for (const name of SHOWN) dress(panels[name], name);
    fill(this.#output, shown, ...SHOWN.map((name) => panels[name]));
    dress(this.#output, "dialect");
    fill(root, h("div", { class: "columns" }, this.#input.element, h("div", { class: "card results" }, this.#sizes.element, dialects, this.#fault, this.#output)));
    this.#dialects = tabs(dialects, (id) => this.#choose(id as Dialect));
    this.#shown = tabs(shown, (id) => {
      note({ show: id });
      this.#show(id as Shown);
    });
  }

  /** Takes the state that the address holds, or the first sample. */
  async start(): Promise<void> {
    const state = readFragment();
    this.#dialect = DIALECTS.find((known) => known === state.get("lang")) ?? "typescript";
    this.#dialects.select(this.#dialect);
    this.#show(SHOWN.find((known) => known === state.get("show")) ?? "surface");
    this.#surface.prefer(state.get("level") ?? undefined);
    const packed = state.get("z");
    const sample = SAMPLES.find(({ id }) => id === state.get("sample")) ?? SAMPLES[0];
    if (packed !== null) await this.#openLink(packed, state.get("server"));
    else if (sample) this.#input.take(sample.text, sample.server, sample.id);
    const tool = state.get("tool");
    if (tool !== null) this.#tools.prefer(tool);
    await this.#generate();
    // What is large and can wait is loaded when the page stands.
    setTimeout(() => void this.#counter.load(), 300);
  }

  /** Loads what later counting needs, for a page that will be without a network. */
  async settle(): Promise<void> {
    await this.#counter.load();
  }

  /** Puts what is shown into the address. */
  async share(): Promise<void> {
    const { text, server, sample } = this.#input.value();
    if (sample !== undefined) note({ sample, z: undefined, server: undefined });
    else note({ sample: undefined, z: await pack(text), server });
  }

  async #openLink(packed: string, server: string | null): Promise<void> {
    try {
      this.#input.take(await unpack(packed), server ?? "server");
    } catch (error) {
      this.#input.take("", server ?? "server");
      announce((error as Error).message);
      byId("fatal").textContent = (error as Error).message;
      byId("fatal").hidden = false;
    }
  }

  #choose(dialect: Dialect): void {
    this.#dialect = dialect;
    note({ lang: dialect });
    void this.#generate();
  }

  #show(shown: Shown): void {
    this.#shown.select(shown);
    for (const name of SHOWN) byIdOrNull(`panel-${name}`, this.#output).hidden = name !== shown;
    this.#draw();
  }

  #openTool(tool: string): void {
    note({ show: "tools", tool });
    this.#show("tools");
    this.#tools.open(tool);
  }

  #later(delay: number): void {
    clearTimeout(this.#timer);
    note({ sample: this.#input.value().sample });
    this.#timer = setTimeout(() => void this.#generate(), delay);
  }

  async #generate(): Promise<void> {
    const { text, server } = this.#input.value();
    if (text.trim() === "") {
      this.#fail({ code: "empty", message: "There is no listing yet" }, 0);
      return;
    }
    const isLoom = this.#dialect === "loom";
    const language: Language = this.#dialect === "loom" ? "gleam" : this.#dialect;
    const options: GenerateOptions = { server, language, profile: isLoom ? "loom" : "typed" };
    try {
      const answer = await this.#engine.generate(text, options);
      if (answer) this.#render({ listing: { text, bytes: answer.bytes }, options, language, result: answer.result });
    } catch (error) {
      if (!(error instanceof NotGenerated)) throw error;
      this.#fail(error.fault, error.bytes);
    }
  }

  #render(current: Current): void {
    const { functions, losses } = current.result;
    this.#current = current;
    this.#drawn.clear();
    this.#fault.hidden = true;
    this.#output.hidden = false;
    this.#input.mark(current.listing.bytes, false);
    this.#sizes.show(current, this.#counter);
    this.#draw();
    byIdOrNull("count-tools", this.#output).textContent = String(functions.length);
    byIdOrNull("count-losses", this.#output).textContent = String(losses.length);
    void this.#count(current);
  }

  #draw(): void {
    const current = this.#current;
    const shown = this.#shown.selected as Shown;
    if (!current || this.#drawn.has(shown)) return;
    this.#drawn.add(shown);
    const draw: Record<Shown, () => void> = {
      surface: () => this.#surface.show(current, this.#counter),
      module: () => this.#module.show(current),
      tools: () => this.#tools.show(current),
      losses: () => this.#losses.show(current),
    };
    draw[shown]();
  }

  async #count(current: Current): Promise<void> {
    const texts = current.result.levels.flatMap((level) => ("text" in level ? [level.text] : []));
    if (!(await this.#counter.count([current.listing.text, ...texts]))) return;
    if (current !== this.#current) return;
    this.#sizes.show(current, this.#counter);
    this.#drawn.delete("surface");
    this.#draw();
  }

  #fail(fault: Fault, size: number | undefined): void {
    this.#current = undefined;
    this.#output.hidden = true;
    this.#fault.hidden = false;
    this.#sizes.clear();
    const isWrong = fault.code !== "empty";
    this.#input.mark(size, isWrong);
    this.#fault.classList.toggle("bad", isWrong);
    fill(this.#fault, ...explain(fault, this.#input.isEditable ? (place) => this.#input.goTo(place) : undefined));
  }

  async #detail(tool: string, { listing, options }: Current): Promise<string> {
    try {
      return (await this.#engine.detail(listing.text, options, tool)) ?? "The module has no tool of this name.";
    } catch (error) {
      return (error as Error).message;
    }
  }
}

function dress(panel: HTMLElement, name: string): void {
  panel.id = `panel-${name}`;
  panel.setAttribute("role", "tabpanel");
}

function byIdOrNull(id: string, within: HTMLElement): HTMLElement {
  return within.querySelector<HTMLElement>(`#${id}`) ?? within;
}

function dialectTab(name: Dialect): HTMLElement {
  return h("button", { role: "tab", type: "button", id: `tab-lang-${name}`, "data-tab": name, "aria-controls": "panel-dialect" }, DIALECT_TITLES[name]);
}

function shownTab(name: Shown): HTMLElement {
  const title = { surface: "What a model reads", module: "Module", tools: "Tools", losses: "Losses" }[name];
  const hasCount = name === "tools" || name === "losses";
  const tab = { role: "tab", type: "button", id: `tab-show-${name}`, "data-tab": name, "aria-controls": `panel-${name}` };
  return h("button", tab, title, hasCount && h("span", { class: "count", id: `count-${name}` }, "0"));
}
