// Shows code of any length without holding up the page: the first screens at once, the rest in slices.

import { fill, h } from "./dom.js";
import { pieces, type Piece, type Syntax } from "./highlight.js";

const LINES_PER_BLOCK = 80;
/** How long one slice may work before the page may answer the person. */
const SLICE = 6;

export interface CodeBox {
  readonly element: HTMLElement;
  show(text: string, syntax: Syntax): void;
}

/** Makes a box for code with line numbers. `label` names it for whoever cannot see it. */
export function codeBox(label: string): CodeBox {
  const code = h("code");
  const pre = h("pre", {}, code);
  const element = h("div", { class: "code", role: "region", "aria-label": label, tabindex: 0 }, pre);
  let shown = "";
  let turn = 0;

  function show(text: string, syntax: Syntax): void {
    const key = `${syntax}\n${text}`;
    if (key === shown) return;
    shown = key;
    turn += 1;
    fill(code);
    element.scrollTop = 0;
    element.scrollLeft = 0;
    slice(blocks(text, syntax), turn);
  }

  function slice(rest: Generator<HTMLElement>, mine: number): void {
    if (mine !== turn) return;
    const end = performance.now() + SLICE;
    while (performance.now() < end) {
      const { value, done } = rest.next();
      if (done) return;
      code.append(value);
    }
    setTimeout(() => slice(rest, mine));
  }

  return { element, show };
}

/** Makes blocks of some lines each; the browser lays out only those that are seen. */
function* blocks(text: string, syntax: Syntax): Generator<HTMLElement> {
  let code = h("span");
  let lines = 0;
  let first = 1;
  for (const piece of pieces(text, syntax)) {
    for (const line of piece.text.split(/(?<=\n)/)) {
      code.append(node(line, piece));
      if (!line.endsWith("\n")) continue;
      lines += 1;
      if (lines < LINES_PER_BLOCK) continue;
      yield block(code, first, lines);
      code = h("span");
      first += lines;
      lines = 0;
    }
  }
  if (code.textContent !== "") yield block(code, first, lines + (text.endsWith("\n") ? 0 : 1));
}

function block(code: HTMLElement, first: number, lines: number): HTMLElement {
  const numbers = Array.from({ length: lines }, (_, index) => first + index).join("\n");
  return h("span", { class: "block" }, h("span", { class: "gutter", "aria-hidden": "true" }, numbers), code);
}

function node(text: string, piece: Piece): Node {
  return piece.class ? h("span", { class: piece.class }, text) : document.createTextNode(text);
}
