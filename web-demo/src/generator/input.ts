// Where a listing comes from: picked, typed, pasted, opened or dropped.

import { announce, bytes, h, utf8Length } from "../dom.js";
import { HOSTILE, REALISTIC, SAMPLES, type Sample } from "../samples/index.js";
import type { Fault } from "./protocol.js";

/** What an editor of a browser lays out within a few frames; longer text is kept beside it. */
const MAX_EDITED = 100_000;
/** What the engine would not read either. */
const MAX_TEXT = 64 * 1024 * 1024;

export interface InputPane {
  readonly element: HTMLElement;
  value(): { text: string; server: string; sample: string | undefined };
  take(text: string, server: string, sample?: string): void;
  /** Shows where the text is wrong, or that it is not. */
  mark(fault: Fault | undefined): void;
  goTo(fault: Fault): void;
}

interface Listener {
  /** The text or the name is another one; a person who types is given time. */
  changed(delay: boolean): void;
  sampled(id: string): void;
}

export function inputPane(listener: Listener): InputPane {
  let sample: string | undefined;
  let kept: string | undefined; // text too long for the editor
  const picker = h("select", { id: "sample" }, h("option", { value: "" }, "Your own"), group("Realistic", REALISTIC), group("Hostile", HOSTILE));
  const server = h("input", { id: "server", type: "text", spellcheck: "false", autocomplete: "off", maxlength: 200 });
  const editor = h("textarea", { id: "listing", spellcheck: "false", autocomplete: "off", wrap: "off", "aria-describedby": "listing-help" });
  const size = h("span", { class: "dim", id: "listing-size" });
  const file = h("input", { type: "file", accept: ".json,.txt,application/json,text/plain", class: "unseen", tabindex: -1, "aria-hidden": "true" });
  const open = h("button", { type: "button", class: "button", onclick: () => file.click() }, "Open a file");
  const clear = h("button", { type: "button", class: "button", onclick: () => own("", "server") }, "Clear");
  const help = h("p", { class: "dim", id: "listing-help" }, "A tools/list result, a response around one, or an array of tools. Paste it or drop a file.");
  const element = h(
    "section",
    { class: "card input", "aria-label": "Listing" },
    h("div", { class: "field" }, h("label", { for: "sample" }, "Listing"), picker),
    h("div", { class: "field" }, h("label", { for: "server" }, "Server name"), server),
    h("div", { class: "editor" }, h("label", { for: "listing", class: "unseen" }, "Text of the listing"), editor, h("p", { class: "drop", "aria-hidden": "true" }, "Drop the listing")),
    h("div", { class: "row" }, size, h("span", { class: "grow" }), open, clear, file),
    help,
  );

  function take(text: string, name: string, id?: string): void {
    sample = id;
    picker.value = id ?? "";
    server.value = name;
    kept = text.length > MAX_EDITED ? text : undefined;
    editor.readOnly = kept !== undefined;
    editor.value = kept === undefined ? text : `${text.slice(0, 2_000)}\n… the rest is kept, but too long to edit here`;
    editor.scrollTop = 0;
    measure();
  }

  function own(text: string, name: string): void {
    take(text, name);
    listener.changed(false);
    editor.focus();
  }

  function value(): { text: string; server: string; sample: string | undefined } {
    return { text: kept ?? editor.value, server: server.value.trim() || "server", sample };
  }

  function measure(): void {
    size.textContent = bytes(utf8Length(kept ?? editor.value));
  }

  function edited(): void {
    sample = undefined;
    picker.value = "";
    measure();
    listener.changed(true);
  }

  async function read(files: FileList | null | undefined): Promise<void> {
    const first = files?.[0];
    if (!first) return;
    if (first.size > MAX_TEXT) return announce(`${first.name} has ${bytes(first.size)}; at most ${bytes(MAX_TEXT)} can be read.`);
    own(await first.text(), first.name.replace(/\.[^.]*$/, ""));
    announce(`Read ${first.name}.`);
  }

  picker.addEventListener("change", () => {
    const chosen = SAMPLES.find(({ id }) => id === picker.value);
    if (!chosen) return own("", "server");
    take(chosen.text, chosen.server, chosen.id);
    listener.sampled(chosen.id);
    listener.changed(false);
  });
  editor.addEventListener("input", edited);
  editor.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length <= MAX_EDITED) return;
    event.preventDefault();
    own(text, server.value);
  });
  server.addEventListener("input", () => {
    sample = undefined;
    listener.changed(true);
  });
  file.addEventListener("change", () => {
    void read(file.files);
    file.value = "";
  });
  droppable(element, (files) => void read(files), (text) => own(text, server.value));

  return {
    element,
    value,
    take,
    mark(fault) {
      editor.setAttribute("aria-invalid", String(fault !== undefined && fault.code !== "empty"));
    },
    goTo(fault) {
      const at = offset(editor.value, fault);
      editor.focus();
      editor.setSelectionRange(at, at + 1);
      editor.scrollTop = Math.max(0, ((fault.line ?? 1) - 4) * Number.parseFloat(getComputedStyle(editor).lineHeight));
    },
  };
}

function group(label: string, samples: readonly Sample[]): HTMLElement {
  return h("optgroup", { label }, ...samples.map(({ id, title }) => h("option", { value: id }, title)));
}

/** Finds a line and a column, both from 1, the column in characters. */
function offset(text: string, { line = 1, column = 1 }: Fault): number {
  let at = 0;
  for (let skipped = 1; skipped < line; skipped += 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) break;
    at = end + 1;
  }
  const before = [...text.slice(at, text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at))];
  return at + before.slice(0, column - 1).join("").length;
}

function droppable(element: HTMLElement, files: (files: FileList) => void, text: (text: string) => void): void {
  const over = (isOver: boolean) => element.classList.toggle("over", isOver);
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  element.addEventListener("dragleave", (event) => {
    if (!element.contains(event.relatedTarget as Node | null)) over(false);
  });
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    const dropped = event.dataTransfer;
    if (dropped && dropped.files.length > 0) files(dropped.files);
    else if (dropped) text(dropped.getData("text/plain"));
  });
}

