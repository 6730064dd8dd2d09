// Fills elements in slices so short that the page answers between them.

/** What a slice may take; the rest of a frame is the browser's. */
const SLICE = 4;
/** The first slices are seen: what they make is laid out and painted too, and that takes several times as long. */
const SEEN_SLICES = 12;
const SEEN_SLICE = 1;

/** What comes next, or nothing yet: a chance to pause. */
export type Slow<T extends Node> = Generator<T | undefined, void>;

/**
 * Makes a function that replaces what an element holds, in tasks of their own. What was there stays until there is
 * something in its place; filling anew gives up what was left of the last time.
 */
export function slicedFill(element: Element): (nodes: Slow<Node>) => void {
  let newest = 0;
  return (nodes) => {
    newest += 1;
    const mine = newest;
    let isFirst = true;
    let slices = 0;

    function slice(): void {
      if (mine !== newest) return;
      const isSeen = slices < SEEN_SLICES;
      const end = performance.now() + (isSeen ? SEEN_SLICE : SLICE);
      slices += 1;
      do {
        const { value, done } = nodes.next();
        if (done) return;
        if (value) put(value);
      } while (performance.now() < end);
      if (isSeen) requestAnimationFrame(() => setTimeout(slice));
      else setTimeout(slice);
    }

    function put(node: Node): void {
      if (isFirst) element.replaceChildren(node);
      else element.append(node);
      isFirst = false;
    }

    setTimeout(slice);
  };
}
