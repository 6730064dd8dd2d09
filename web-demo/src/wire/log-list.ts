// The log between the two lanes. Entries only come or go at its end, so time may run either way cheaply.

import { fill, h } from "../dom.js";
import type { Entry } from "./timeline.js";

export interface LogList {
  readonly element: HTMLElement;
  /** Shows the log as it stands at a moment. */
  show(log: readonly Entry[], at: number): void;
  reset(): void;
}

const KIND_NAMES: Record<Entry["kind"], string> = {
  frame: "frame",
  command: "command",
  effect: "effect",
  event: "event",
  fault: "mishap",
  process: "process",
};

export function logList(choose: (entry: Entry) => void): LogList {
  const list = h("ol", { class: "log" });
  const empty = h("p", { class: "dim empty" }, "Nothing has happened yet. Play, step, or press a button.");
  const scroller = h("div", { class: "log-scroll", tabindex: 0, role: "region", "aria-label": "What happened, oldest first" }, empty, list);
  const rows: HTMLElement[] = [];
  const moving = new Map<HTMLElement, Entry>();

  function show(log: readonly Entry[], at: number): void {
    const count = visible(log, at);
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 60;
    const hadRows = rows.length;
    while (rows.length > count) {
      const row = rows.pop();
      if (row) moving.delete(row);
      row?.remove();
    }
    for (const entry of log.slice(rows.length, count)) append(entry);
    for (const [row, entry] of moving) travel(row, entry, at);
    empty.hidden = count > 0;
    if (isAtEnd && rows.length !== hadRows) scroller.scrollTop = scroller.scrollHeight;
  }

  function append(entry: Entry): void {
    const row = makeRow(entry, () => {
      list.querySelector("[aria-current]")?.removeAttribute("aria-current");
      row.querySelector("button")?.setAttribute("aria-current", "true");
      choose(entry);
    });
    rows.push(row);
    list.append(row);
    if (entry.arrives !== undefined && entry.arrives > entry.at) moving.set(row, entry);
  }

  return {
    element: scroller,
    show,
    reset() {
      rows.length = 0;
      moving.clear();
      fill(list);
    },
  };
}

function visible(log: readonly Entry[], at: number): number {
  let [low, high] = [0, log.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the dot of a frame that is under way. */
function travel(row: HTMLElement, entry: Entry, at: number): void {
  const whole = (entry.arrives ?? entry.at) - entry.at;
  const share = Math.min(1, Math.max(0, (at - entry.at) / whole));
  row.classList.toggle("under-way", share < 1);
  row.style.setProperty("--share", String(share));
}

function makeRow(entry: Entry, choose: () => void): HTMLElement {
  const direction = entry.way === "up" ? "to the server" : entry.way === "down" ? "to the client" : entry.side;
  const button = h(
    "button",
    { type: "button", class: `entry ${entry.kind} tone-${entry.tone}`, onclick: choose },
    h("span", { class: "unseen" }, `${KIND_NAMES[entry.kind]} ${direction}: `),
    entry.kind === "fault" && h("span", { class: "flash", "aria-hidden": "true" }, "⚡"),
    h("span", { class: "entry-title" }, entry.title),
    entry.note !== undefined && h("span", { class: "entry-note" }, entry.note),
    entry.kind === "frame" && h("span", { class: "arrow", "aria-hidden": "true" }),
  );
  const lane = entry.way ?? entry.side;
  return h("li", { class: `row-${lane}` }, h("span", { class: "tick" }, seconds(entry.at)), button);
}

export function seconds(at: number): string {
  return `${(at / 1_000).toFixed(3)}`;
}
