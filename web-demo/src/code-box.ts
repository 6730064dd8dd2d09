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
  const gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const code = h("code");
  const pre = h("pre", {}, code);
  const element = h("div", { class: "code", role: "region", "aria-label": label, tabindex: 0 }, gutter, pre);
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
    const count = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    gutter.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
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
  let block = h("span", { class: "block" });
  let lines = 0;
  for (const piece of pieces(text, syntax)) {
    for (const line of piece.text.split(/(?<=\n)/)) {
      block.append(node(line, piece));
      if (!line.endsWith("\n")) continue;
      lines += 1;
      if (lines < LINES_PER_BLOCK) continue;
      yield block;
      block = h("span", { class: "block" });
      lines = 0;
    }
  }
  yield block;
}

function node(text: string, piece: Piece): Node {
  return piece.class ? h("span", { class: piece.class }, text) : document.createTextNode(text);
}
