// Makes elements. Text becomes text nodes and nothing else: no string is ever read as markup.

export type Child = Node | string | number | undefined | false | null;
type Handler = (event: Event) => void;
type Value = string | number | boolean | undefined | Handler;

/** Makes an element; attributes named `onclick` and the like are listeners, `false` and `undefined` are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  fill(element, ...children);
  return element;
}

/** Makes a button. */
export function button(title: string, act: () => void, attributes: Record<string, Value> = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "button", ...attributes, onclick: act }, title);
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter(isShown).map((child) => (child instanceof Node ? child : String(child))));
}

function isShown(child: Child): child is Node | string | number {
  return child !== undefined && child !== false && child !== null;
}

/** Finds an element of the page's own skeleton. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Says something to whoever cannot see what changed. */
export function announce(text: string): void {
  byId("said").textContent = text;
}

/** Puts text on the clipboard, and says whether that was possible. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}.`);
  } catch {
    announce(`The browser did not let the page copy ${what}; select it and copy it by hand.`);
  }
}

/** Offers text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  announce(`Saved ${name}.`);
}
