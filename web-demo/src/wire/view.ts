// The view "The wire": a session, its clock, and what goes wrong in the field.

import { init } from "selvedge/web";

import { codeBox } from "../code-box.js";
import { announce, button, copy, fill, h } from "../dom.js";
import { note, pack, readFragment, unpack } from "../fragment.js";
import { type Action, type Choice, COMMANDS, type Deed, FAULTS, readRun, SCENARIOS, SETUP, type Setup, writeRun } from "./actions.js";
import { Clock } from "./clock.js";
import { logList, seconds } from "./log-list.js";
import { pretty } from "./pretty.js";
import { standingPane } from "./standing-pane.js";
import type { Entry, Standing, Timeline } from "./timeline.js";
import { readTrace, Replay } from "./trace.js";
import { World } from "./world.js";

/** How long an hour-long session may grow; the slider would be useless beyond. */
const MAX_LENGTH = 600_000;
const MAX_TRACE_BYTES = 32 * 1024 * 1024;

export class WireView {
  #setup: Setup = SETUP;
  #actions: Action[] = [];
  #timeline: Timeline | undefined;
  #at = 0;
  #length = 8_000;
  #chosen: Entry | undefined;
  #scenario: string | undefined;
  readonly #clock = new Clock((passed) => this.#pass(passed));
  readonly #log = logList((entry) => this.#choose(entry));
  readonly #standing = standingPane();
  readonly #box = codeBox("The chosen entry in full");
  readonly #boxTitle = h("h2", { class: "grow title" }, "Choose an entry to see it in full");
  readonly #copy = button("Copy", () => void copy(this.#chosen?.text ?? this.#chosen?.title ?? "", "the entry"), { disabled: true });
  readonly #time = h("output", { class: "time", for: "clock" }, "0.000");
  readonly #slider = h("input", { type: "range", id: "clock", min: 0, step: 1, "aria-label": "Time in the session" });
  readonly #play = button("Play", () => (this.#clock.isRunning ? this.#stop() : this.#start()), { class: "button primary", id: "play" });
  readonly #step = button("Step", () => this.#stepOn(), { id: "step" });
  readonly #scenarios = scenarioPicker();
  readonly #commands = panel("Client", COMMANDS, (deed) => this.#do(deed));
  readonly #faults = panel("What goes wrong", FAULTS, (deed) => this.#do(deed));
  readonly #era = h("select", { id: "era" }, h("option", { value: "legacyFirst" }, "initialize first"), h("option", { value: "modernFirst" }, "discover first"));
  readonly #tolerance = h("select", { id: "tolerance" }, h("option", { value: "tolerant" }, "tolerant"), h("option", { value: "strict" }, "strict"));
  readonly #traceName = h("span", { class: "dim" });
  readonly #problem = h("p", { class: "notice bad", role: "alert", hidden: true });

  constructor(private readonly root: HTMLElement) {
    // Nothing can be done to a session before there is an engine.
    root.inert = true;
    const main = h("div", { class: "wire-main" }, h("div", { class: "controls card" }, this.#commands, this.#faults), this.#stage());
    fill(root, h("div", { class: "wire" }, this.#toolbar(), this.#problem, main, this.#side()));
    this.#slider.addEventListener("input", () => {
      this.#stop();
      this.#go(Number(this.#slider.value));
    });
    this.#scenarios.addEventListener("change", () => {
      note({ scenario: this.#scenarios.value, run: undefined, at: undefined });
      this.#open(this.#scenarios.value);
    });
  }

  /** Takes the state that the address holds, or the first session. */
  async start(): Promise<void> {
    await init();
    this.root.inert = false;
    const state = readFragment();
    const run = state.get("run");
    const read = run === null ? undefined : readRun(await unpack(run));
    if (read) this.#begin(read.setup, read.actions);
    else this.#open(state.get("scenario") ?? "day");
    const at = Number(state.get("at") ?? 0);
    if (at > 0) this.#go(Math.min(at, MAX_LENGTH));
  }

  leave(): void {
    this.#stop();
  }

  async share(): Promise<void> {
    const at = String(Math.round(this.#at));
    if (this.#scenario !== undefined) note({ scenario: this.#scenario, run: undefined, at });
    else note({ scenario: undefined, run: await pack(writeRun(this.#setup, this.#actions)), at });
  }

  #toolbar(): HTMLElement {
    const file = h("input", { type: "file", accept: ".jsonl,.json,.txt", class: "unseen", id: "trace", tabindex: -1, "aria-hidden": "true" });
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      if (chosen) void this.#load(chosen);
      file.value = "";
    });
    const pace = h("select", { id: "pace" }, ...[0.1, 0.5, 1, 4].map((value) => h("option", { value, selected: value === 0.5 }, `${value} ×`)));
    pace.addEventListener("change", () => (this.#clock.pace = Number(pace.value)));
    const back = button("To the start", () => (this.#stop(), this.#go(0)), { id: "restart" });
    return h(
      "div",
      { class: "card toolbar-wire" },
      h("div", { class: "row" }, h("label", { for: "scenario" }, "Session"), this.#scenarios, this.#setupFields(), h("span", { class: "grow" }), this.#traceName, button("Load a trace", () => file.click()), file),
      h("div", { class: "row clock" }, this.#play, this.#step, back, this.#slider, h("span", { class: "clock-face" }, this.#time, " s"), h("label", { for: "pace", class: "unseen" }, "Pace"), pace),
    );
  }

  #setupFields(): HTMLElement {
    const changed = () => {
      this.#own();
      this.#begin({ ...this.#setup, era: this.#era.value as Setup["era"], tolerance: this.#tolerance.value as Setup["tolerance"] }, this.#actions, this.#at);
    };
    this.#era.addEventListener("change", changed);
    this.#tolerance.addEventListener("change", changed);
    const field = (label: string, select: HTMLElement) => h("span", { class: "pair" }, h("label", { for: select.id }, label), select);
    return h("span", { class: "row" }, field("Era", this.#era), field("Output", this.#tolerance));
  }

  #stage(): HTMLElement {
    const lane = (title: string, more: string) => h("div", {}, h("b", {}, title), h("span", { class: "dim" }, more));
    return h(
      "section",
      { class: "card stage", "aria-label": "The wire" },
      h("div", { class: "lanes", "aria-hidden": "true" }, h("span", { class: "dim" }, "s"), lane("Client", "Selvedge"), lane("Wire", "stdio"), lane("Server", "Selvedge")),
      this.#log.element,
    );
  }

  #side(): HTMLElement {
    return h("div", { class: "wire-side" }, this.#standing.element, h("section", { class: "card entry-detail", "aria-label": "Entry" }, h("div", { class: "row toolbar" }, this.#boxTitle, this.#copy), this.#box.element));
  }

  // The session.

  #open(id: string): void {
    const scenario = SCENARIOS.find((known) => known.id === id);
    if (!scenario) return this.#begin(SETUP, []);
    this.#begin({ ...SETUP, ...scenario.setup }, [...scenario.actions]);
    this.#scenario = scenario.id;
    this.#scenarios.value = scenario.id;
  }

  #begin(setup: Setup, actions: Action[], at = 0): void {
    this.#stop();
    this.#setup = setup;
    this.#actions = actions;
    this.#traceName.textContent = "";
    this.#era.value = setup.era;
    this.#tolerance.value = setup.tolerance;
    this.#install(new World(setup, actions), Math.max(8_000, (actions.at(-1)?.at ?? 0) + 3_000), at);
  }

  #install(timeline: Timeline, length: number, at: number): void {
    this.#timeline?.free();
    this.#timeline = timeline;
    this.#length = timeline.end ?? length;
    this.#log.reset();
    const isReplay = timeline instanceof Replay;
    // What was recorded cannot be made otherwise; another session can be picked.
    for (const fieldset of [this.#commands, this.#faults]) fieldset.disabled = isReplay;
    for (const select of [this.#era, this.#tolerance]) select.disabled = isReplay;
    this.#go(at);
  }

  /** What the person does makes the session their own: it is not the one that was picked any more. */
  #own(): void {
    this.#scenario = undefined;
    this.#scenarios.value = "";
    note({ scenario: undefined, at: undefined });
  }

  /** Does something at the shown moment. In the past, what came later happens anew after it. */
  #do(deed: Deed): void {
    const at = Math.round(this.#at);
    const after = this.#actions.findIndex((action) => action.at > at);
    this.#actions = after < 0 ? [...this.#actions, { at, do: deed }] : this.#actions.toSpliced(after, 0, { at, do: deed });
    const wasRunning = this.#clock.isRunning;
    this.#own();
    this.#timeline?.free();
    this.#timeline = new World(this.#setup, this.#actions);
    this.#log.reset();
    this.#go(at);
    if (wasRunning) this.#start();
  }

  async #load(file: File): Promise<void> {
    try {
      if (file.size > MAX_TRACE_BYTES) throw new Error(`it has more than ${MAX_TRACE_BYTES / 1024 / 1024} MiB`);
      const records = readTrace(await file.text());
      this.#stop();
      this.#own();
      this.#problem.hidden = true;
      this.#install(new Replay(records), 0, 0);
      this.#traceName.textContent = `${file.name}, ${records.length} lines`;
      announce(`Loaded ${file.name}; play or step through it.`);
    } catch (error) {
      this.#problem.textContent = `${file.name} cannot be replayed: ${(error as Error).message}.`;
      this.#problem.hidden = false;
    }
  }

  // Time.

  #start(): void {
    if (this.#timeline?.end !== undefined && this.#at >= this.#timeline.end) this.#go(0);
    this.#clock.start();
    this.#play.textContent = "Pause";
  }

  #stop(): void {
    this.#clock.stop();
    this.#play.textContent = "Play";
  }

  #pass(passed: number): void {
    const end = this.#timeline?.end ?? MAX_LENGTH;
    this.#go(Math.min(end, this.#at + passed));
    if (this.#at >= end) this.#stop();
  }

  /** Goes to the next moment at which something happens. */
  #stepOn(): void {
    this.#stop();
    const timeline = this.#timeline;
    if (!timeline) return;
    const known = timeline.standings.find(({ at }) => at > this.#at)?.at;
    const next = known ?? timeline.next();
    if (next === undefined || next > MAX_LENGTH) return announce("Nothing more will happen by itself.");
    this.#go(next);
    announce(timeline.log.findLast(({ at }) => at <= next)?.title ?? "");
  }

  #go(at: number): void {
    const timeline = this.#timeline;
    if (!timeline) return;
    this.#at = at;
    if (at > timeline.now) timeline.advance(Math.floor(at));
    else timeline.advance(timeline.now);
    if (timeline.end === undefined) while (at > this.#length - 500) this.#length += 5_000;
    this.#slider.max = String(this.#length);
    this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", `${seconds(at)} seconds`);
    this.#time.textContent = seconds(at);
    this.#log.show(timeline.log, at);
    this.#standing.show(standingAt(timeline.standings, at), at);
  }

  #choose(entry: Entry): void {
    this.#chosen = entry;
    this.#copy.disabled = false;
    this.#boxTitle.textContent = `${seconds(entry.at)} s: ${entry.title}`;
    this.#box.show(pretty(entry.text ?? entry.title), "json");
    this.#box.element.scrollIntoView({ block: "nearest" });
  }
}

function standingAt(standings: readonly Standing[], at: number): Standing | undefined {
  return standings.findLast((standing) => standing.at <= at);
}

function scenarioPicker(): HTMLSelectElement {
  return h("select", { id: "scenario" }, h("option", { value: "" }, "Your own"), ...SCENARIOS.map(({ id, title }) => h("option", { value: id }, title)));
}

function panel(title: string, choices: readonly Choice[], act: (deed: Deed) => void): HTMLFieldSetElement {
  const buttons = choices.map(({ deed, title: text, hint }) => button(text, () => act(deed), { title: hint, "data-deed": deed }));
  return h("fieldset", {}, h("legend", {}, title), h("div", { class: "row" }, ...buttons));
}
