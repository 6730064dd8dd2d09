// Shows code of any length without holding up the page: the first screens at once, the rest in slices.

import { h } from "./dom.js";
import { pieces, type Piece, type Syntax } from "./highlight.js";
import { slicedFill, type Slow } from "./slices.js";

/** What the browser lays out at a time; it leaves out what is not seen. */
const LINES_PER_BLOCK = 20;

export interface CodeBox {
  readonly element: HTMLElement;
  show(text: string, syntax: Syntax): void;
}

/** Makes a box for code with line numbers. `label` names it for whoever cannot see it. */
export function codeBox(label: string): CodeBox {
  const code = h("code");
  const element = h("div", { class: "code", role: "region", "aria-label": label, tabindex: 0 }, h("pre", {}, code));
  const fill = slicedFill(code);
  let shown: string | undefined;
  let shownAs: Syntax | undefined;
  // Remembered, because to ask the browser is to have it lay out all that changed.
  let isScrolled = false;
  element.addEventListener("scroll", () => (isScrolled = true));

  function show(text: string, syntax: Syntax): void {
    if (text === shown && syntax === shownAs) return;
    [shown, shownAs] = [text, syntax];
    if (isScrolled) element.scrollTo(0, 0);
    isScrolled = false;
    fill(blocks(text, syntax));
  }

  return { element, show };
}

function* blocks(text: string, syntax: Syntax): Slow<HTMLElement> {
  let code = h("span");
  let lines = 0;
  let first = 1;
  for (const piece of pieces(text, syntax)) {
    for (const line of piece.text.split(/(?<=\n)/)) {
      code.append(node(line, piece));
      if (!line.endsWith("\n")) continue;
      lines += 1;
      yield lines < LINES_PER_BLOCK ? undefined : block(code, first, lines);
      if (lines < LINES_PER_BLOCK) continue;
      code = h("span");
      first += lines;
      lines = 0;
    }
  }
  // The last block is there even where it is empty: it takes the place of what was shown before.
  yield block(code, first, lines + (text === "" || text.endsWith("\n") ? 0 : 1));
}

function block(code: HTMLElement, first: number, lines: number): HTMLElement {
  const numbers = Array.from({ length: lines }, (_, index) => first + index).join("\n");
  const isWhole = lines === LINES_PER_BLOCK;
  return h("span", { class: isWhole ? "block whole" : "block" }, h("span", { class: "gutter", "aria-hidden": "true" }, numbers), code);
}

function node(text: string, piece: Piece): Node {
  return piece.class ? h("span", { class: piece.class }, text) : document.createTextNode(text);
}
