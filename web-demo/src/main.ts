// Starts the page: its two views, the link to what is shown, and what keeps it for later.

import { announce, byId, copy } from "./dom.js";
import { address, note, readFragment } from "./fragment.js";
import { CodeView } from "./generator/view.js";
import { tabs } from "./tabs.js";
import { themes } from "./theme.js";
import { WireView } from "./wire/view.js";
import { keepForLater } from "./workers.js";

const VIEWS = ["code", "wire"] as const;
type View = (typeof VIEWS)[number];

function main(): void {
  themes(byId("theme"));
  byId("skip").addEventListener("click", (event) => {
    // The fragment is the state of the page; a jump must not replace it.
    event.preventDefault();
    byId("main").focus();
  });
  const code = new CodeView(byId("view-code"));
  const wire = new WireView(byId("view-wire"));
  let view: View = "code";

  const switcher = tabs(byId("views"), (id) => show(id as View));
  function show(next: View): void {
    view = next;
    switcher.select(next);
    for (const name of VIEWS) byId(`view-${name}`).hidden = name !== next;
    if (next !== "wire") wire.leave();
    note({ view: next === "code" ? undefined : next });
  }

  byId("share").addEventListener("click", () => {
    const shared = view === "code" ? code.share() : wire.share();
    void shared.then(() => copy(address(), `a link of ${address().length} characters; it holds what is shown`));
  });

  show(VIEWS.find((name) => name === readFragment().get("view")) ?? "code");
  code.start().catch(fatal);
  wire.start().catch(fatal);
  void settle(code);
  addEventListener("hashchange", () => location.reload());
}

/** Loads what is needed later, and says when the page needs no network any more. */
async function settle(code: CodeView): Promise<void> {
  const [kept] = await Promise.allSettled([keepForLater(), code.settle()]);
  const isKept = kept.status === "fulfilled" && kept.value;
  byId("offline").textContent = isKept ? "It opens without a network." : "It works without a network until it is closed.";
}

function fatal(error: unknown): void {
  const { message } = error as Error;
  byId("fatal").textContent = `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;
  byId("fatal").hidden = false;
  announce(message);
}

main();
