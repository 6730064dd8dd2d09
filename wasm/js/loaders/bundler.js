// For bundlers: the module is fetched while this one is imported, so that everything is ready when that is done.

import { init as load } from "./web.js";

await load();

/** Everything is ready when the module is; this is there for code that runs everywhere. */
export async function init() {}

/** As `init`. */
export function initSync() {}

export * from "@exports";
