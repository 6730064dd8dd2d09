// Where a listing comes from: picked, typed, pasted, opened or dropped.

import { announce, button, h } from "../dom.js";
import { bytes } from "../numbers.js";
import { HOSTILE, REALISTIC, SAMPLES, type Sample } from "../samples/index.js";
import type { Place } from "./place.js";

/** What an editor of a browser lays out within a few frames; longer text is kept beside it. */
const MAX_EDITED = 50_000;
/** What the engine would not read either. */
const MAX_TEXT = 64 * 1024 * 1024;

interface Listener {
  /** The text or the name is another one; a person who types is given time. */
  changed(delay: boolean): void;
  sampled(id: string): void;
}

export class InputPane {
  readonly element: HTMLElement;
  readonly #listener: Listener;
  readonly #picker = h("select", { id: "sample" }, h("option", { value: "" }, "Your own"), group("Realistic", REALISTIC), group("Hostile", HOSTILE));
  readonly #server = h("input", { id: "server", type: "text", spellcheck: "false", autocomplete: "off", maxlength: 200 });
  readonly #editor = h("textarea", { id: "listing", spellcheck: "false", autocomplete: "off", wrap: "off", "aria-describedby": "listing-help" });
  readonly #size = h("span", { class: "dim", id: "listing-size" });
  readonly #file = h("input", { type: "file", accept: ".json,.txt,application/json,text/plain", class: "unseen", tabindex: -1, "aria-hidden": "true" });
  #sample: string | undefined;
  /** Text too long for the editor. */
  #kept: string | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
    this.element = this.#layout();
    this.#picker.addEventListener("change", () => this.#pick());
    this.#editor.addEventListener("input", () => this.#edited());
    this.#editor.addEventListener("paste", (event) => this.#paste(event));
    this.#server.addEventListener("input", () => {
      this.#sample = undefined;
      listener.changed(true);
    });
    this.#file.addEventListener("change", () => {
      void this.#read(this.#file.files);
      this.#file.value = "";
    });
    droppable(this.element, (files) => void this.#read(files), (text) => this.#own(text, this.#server.value));
  }

  value(): { text: string; server: string; sample: string | undefined } {
    return { text: this.#kept ?? this.#editor.value, server: this.#server.value.trim() || "server", sample: this.#sample };
  }

  take(text: string, server: string, sample?: string): void {
    this.#sample = sample;
    this.#picker.value = sample ?? "";
    this.#server.value = server;
    this.#kept = text.length > MAX_EDITED ? text : undefined;
    this.#editor.readOnly = this.#kept !== undefined;
    this.#editor.value = this.#kept === undefined ? text : `${text.slice(0, 2_000)}\n… the rest is kept, but too long to edit here`;
    this.#editor.scrollTop = 0;
  }

  /** Whether all of the text is in the editor. */
  get isEditable(): boolean {
    return this.#kept === undefined;
  }

  /** Shows how long the text is, where that is known, and whether it is wrong. */
  mark(size: number | undefined, isWrong: boolean): void {
    this.#size.textContent = size === undefined ? "" : `${bytes(size)}${this.isEditable ? "" : ", too long to edit"}`;
    this.#editor.setAttribute("aria-invalid", String(isWrong));
  }

  /** Leads to where the text is wrong. */
  goTo({ line, at, end }: Place): void {
    const editor = this.#editor;
    editor.focus();
    editor.setSelectionRange(at, end);
    editor.scrollTop = Math.max(0, (line - 4) * Number.parseFloat(getComputedStyle(editor).lineHeight));
  }

  #layout(): HTMLElement {
    const open = button("Open a file", () => this.#file.click());
    const clear = button("Clear", () => this.#own("", "server"));
    const editor = h("div", { class: "editor" }, h("label", { for: "listing", class: "unseen" }, "Text of the listing"), this.#editor, h("p", { class: "drop", "aria-hidden": "true" }, "Drop the listing"));
    return h(
      "section",
      { class: "card input", "aria-label": "Listing" },
      h("div", { class: "field" }, h("label", { for: "sample" }, "Listing"), this.#picker),
      h("div", { class: "field" }, h("label", { for: "server" }, "Server name"), this.#server),
      editor,
      h("div", { class: "row" }, this.#size, h("span", { class: "grow" }), open, clear, this.#file),
      h("p", { class: "dim", id: "listing-help" }, "A tools/list result, a response around one, or an array of tools. Paste it or drop a file."),
    );
  }

  #own(text: string, server: string): void {
    this.take(text, server);
    this.#listener.changed(false);
    this.#editor.focus();
  }

  #pick(): void {
    const chosen = SAMPLES.find(({ id }) => id === this.#picker.value);
    if (!chosen) return this.#own("", "server");
    this.take(chosen.text, chosen.server, chosen.id);
    this.#listener.sampled(chosen.id);
    this.#listener.changed(false);
  }

  #edited(): void {
    this.#sample = undefined;
    this.#picker.value = "";
    this.#listener.changed(true);
  }

  #paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    // Into text that is kept beside the editor nothing can be pasted: it is replaced.
    if (text.length <= MAX_EDITED && this.isEditable) return;
    event.preventDefault();
    this.#own(text, this.#server.value);
  }

  async #read(files: FileList | null | undefined): Promise<void> {
    const first = files?.[0];
    if (!first) return;
    if (first.size > MAX_TEXT) return announce(`${first.name} has ${bytes(first.size)}; at most ${bytes(MAX_TEXT)} can be read.`);
    this.#own(await first.text(), first.name.replace(/\.[^.]*$/, ""));
    announce(`Read ${first.name}.`);
  }
}

function group(label: string, samples: readonly Sample[]): HTMLElement {
  return h("optgroup", { label }, ...samples.map(({ id, title }) => h("option", { value: id }, title)));
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

