// A list of tabs as the keyboard expects it: one stop, arrow keys within, Home and End.

export interface Tabs {
  select(id: string): void;
  readonly selected: string;
}

/** Brings a list of tabs to life; `choose` is told of every change by the person. Ids are `tab-…`. */
export function tabs(list: HTMLElement, choose: (id: string) => void): Tabs {
  const all = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  let selected = "";

  function select(id: string): void {
    selected = id;
    for (const tab of all) {
      const isSelected = name(tab) === id;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      // A panel that several tabs share is named by the one that is chosen.
      if (isSelected) panel?.setAttribute("aria-labelledby", tab.id);
      if (isSelected) requestAnimationFrame(() => reveal(tab));
    }
  }

  function take(tab: HTMLElement | undefined, isByKey: boolean): void {
    if (!tab) return;
    if (isByKey) tab.focus();
    if (name(tab) === selected) return;
    select(name(tab));
    choose(name(tab));
  }

  for (const tab of all) tab.addEventListener("click", () => take(tab, false));
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(event.target as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    take(all[(to + all.length) % all.length], true);
  });
  return { select, get selected() { return selected; } };
}

/** Scrolls the list, and nothing around it, to where the tab is seen. */
function reveal(tab: HTMLElement): void {
  const list = tab.parentElement;
  if (!list || list.scrollWidth <= list.clientWidth) return;
  const [outer, inner] = [list.getBoundingClientRect(), tab.getBoundingClientRect()];
  if (inner.left < outer.left) list.scrollLeft -= outer.left - inner.left;
  else if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right;
}

function name(tab: HTMLElement): string {
  return tab.dataset["tab"] ?? tab.id.replace(/^tab-/, "");
}
