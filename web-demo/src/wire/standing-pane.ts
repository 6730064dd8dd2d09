// How both sides stand at the shown moment.

import { fill, h } from "../dom.js";
import { seconds } from "./log-list.js";
import type { CallRow, Standing } from "./timeline.js";

const STATES = ["parked", "opening", "negotiating", "ready", "closing", "retired"] as const;

export interface StandingPane {
  readonly element: HTMLElement;
  show(standing: Standing | undefined, at: number): void;
}

export function standingPane(): StandingPane {
  const steps = STATES.map((state) => h("li", {}, state));
  const facts = h("dl", { class: "facts" });
  const calls = h("tbody");
  const noCalls = h("p", { class: "dim" }, "No call yet.");
  const table = h(
    "table",
    { class: "calls" },
    h("caption", { class: "unseen" }, "Calls"),
    h("thead", {}, h("tr", {}, ...["Call", "What", "End"].map((title) => h("th", { scope: "col" }, title)))),
    calls,
  );
  let drawn: string | undefined;

  function show(standing: Standing | undefined, at: number): void {
    const key = standing && JSON.stringify({ ...standing, at: 0, left: standing.wake === undefined ? 0 : Math.ceil((standing.wake - at) / 50) });
    if (!standing || key === drawn) return;
    drawn = key;
    const now = STATES.indexOf(standing.state === "reopening" ? "opening" : standing.state);
    steps.forEach((step, index) => {
      step.className = index < now ? "past" : index === now ? "present" : "";
      if (index === now) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    fill(facts, ...rows(standing, at));
    fill(calls, ...standing.calls.map(callRow));
    table.hidden = standing.calls.length === 0;
    noCalls.hidden = standing.calls.length > 0;
  }

  return {
    element: h("section", { class: "card standing", "aria-label": "State" }, h("h2", {}, "State"), h("ol", { class: "steps" }, ...steps), facts, h("h3", {}, "Calls"), noCalls, table),
    show,
  };
}

function rows(standing: Standing, at: number): HTMLElement[] {
  const wake = standing.wake === undefined ? "none" : `in ${Math.max(0, standing.wake - at).toFixed(0)} ms`;
  const stray = standing.stray === 0 ? "none" : `${standing.stray} ${standing.stray === 1 ? "line" : "lines"}, ${standing.strayBytes} B`;
  return [
    fact("Revision", standing.revision ?? "not agreed"),
    fact("Client's next timer", wake),
    fact("Requests in flight", String(standing.inFlight)),
    fact("Stray output", stray),
    fact("Server process", standing.process),
    fact("Server works on", String(standing.served)),
    ...(standing.reason === undefined ? [] : [fact("Session over", standing.reason)]),
  ];
}

function fact(title: string, value: string): HTMLElement {
  return h("div", {}, h("dt", {}, title), h("dd", {}, value));
}

function callRow({ call, what, since, ended, outcome, tone }: CallRow): HTMLElement {
  const end = ended === undefined ? h("span", { class: "dim" }, "waits") : h("span", { class: `end tone-${tone}` }, `${outcome} (${ended - since} ms)`);
  return h("tr", { title: `since ${seconds(since)} s` }, h("td", { class: "number" }, `#${call}`), h("td", {}, h("code", {}, what)), h("td", {}, end));
}
