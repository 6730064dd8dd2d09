// Says in sentences why there is nothing to show, and what to do.

import { button, h } from "../dom.js";
import type { Place } from "./place.js";
import type { Fault } from "./protocol.js";

const HEADS: Record<string, string> = {
  empty: "Nothing to read yet",
  notJson: "This text stops being JSON",
  noTools: "This is JSON, but no listing",
  noListing: "This is no listing",
  errorResponse: "This is a server's error, not its listing",
  malformedTool: "A tool of this listing is malformed",
  toolNameCollision: "Two tools cannot be told apart",
  tooManyTools: "There are too many tools for one module",
  surfaceTooLarge: "What a model would read is too long",
  sourceTooLarge: "The module would be too large",
  sanitizerBreach: "The generator refused its own output",
  noWebAssembly: "This browser cannot run the engine",
  blockedByPolicy: "A policy forbids the engine",
  notReached: "The engine could not be loaded",
  notFound: "The engine could not be loaded",
  notAModule: "The engine could not be started",
  versionMismatch: "The engine could not be started",
  notLoaded: "The engine could not be started",
};

const HINTS: Record<string, string> = {
  toolNameCollision: "A program that calls one of them must not reach the other, so the whole server is refused.",
  sanitizerBreach: "The listing made the generator write what it must never write; please report the listing.",
  noWebAssembly: "Any browser since 2022 can; in a hardened one, WebAssembly may have to be allowed for this page.",
  notReached: "Is the network there? Load the page again; once loaded it needs none.",
  notFound: "The page was copied without all of its files: the file that ends in .wasm must stand beside its scripts.",
  versionMismatch: "Files of two builds are mixed; load the page again without the browser's cache.",
  notAModule: "Load the page again without the browser's cache; if that does not help, this browser is too old.",
  notLoaded: "Load the page again; if that does not help, this browser is too old.",
};

const FORMS = ["empty", "notJson", "noTools", "noListing", "errorResponse"];

/** Makes the parts of the message; `goTo` leads to the place in the text, where that can be seen. */
export function explain(fault: Fault, goTo: ((place: Place) => void) | undefined): HTMLElement[] {
  const { code, place } = fault;
  const isNever = code === "notJson" && place?.at === 0;
  const parts: HTMLElement[] = [h("h2", {}, isNever ? "This text is no JSON" : (HEADS[code] ?? "There is no module"))];
  if (code !== "empty") parts.push(h("p", {}, sentence(placed(fault))));
  if (place) parts.push(excerpt(place));
  if (place && goTo) parts.push(h("p", {}, button(`Go to ${named(place)}`, () => goTo(place))));
  const hint = HINTS[code];
  if (hint) parts.push(h("p", {}, hint));
  if (FORMS.includes(code)) parts.push(forms());
  return parts;
}

/** The engine counts from the start of the text; a person counts lines. */
function placed({ message, place }: Fault): string {
  return place ? message.replace(/ at column \d+/, ` at ${named(place)}`) : message;
}

function named({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

function sentence(message: string): string {
  const trimmed = message.replace(/^selvedge could not start: /, "");
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? "" : "."}`;
}

/** Shows the line with a mark under the place. */
function excerpt({ excerpt: line, before }: Place): HTMLElement {
  return h("pre", { class: "excerpt", tabindex: 0, "aria-label": "The place in the text" }, `${line}\n`, h("span", { class: "caret" }, `${" ".repeat(before)}^`));
}

function forms(): HTMLElement {
  const form = (code: string, what: string) => h("li", {}, h("code", {}, code), ` ${what}`);
  return h(
    "div",
    {},
    h("p", {}, "What is read:"),
    h(
      "ul",
      { class: "forms" },
      form('{"tools": [ … ]}', "the result of tools/list"),
      form('{"jsonrpc": "2.0", "id": 1, "result": {"tools": [ … ]}}', "the response around it"),
      form('[{"name": …, "inputSchema": { … }}, …]', "the tools alone"),
    ),
  );
}
