// Starts the page's own workers, the one thing its policy lets it start.

import type { UrlPolicy } from "./trusted.js";

const policy: UrlPolicy | undefined = globalThis.trustedTypes?.createPolicy("own-workers", {
  createScriptURL(url: string): string {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError("only workers of this page");
    return url;
  },
});

/** Makes a worker from the address of a module of this page. */
export function startWorker(url: string): Worker {
  return new Worker(trusted(url), { type: "module" });
}

/** Keeps the page for later without a network, where browser and address allow it. */
export async function keepForLater(): Promise<boolean> {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return false;
  await navigator.serviceWorker.register(trusted("./offline.js"));
  await navigator.serviceWorker.ready;
  return true;
}

function trusted(url: string): string {
  return (policy ? policy.createScriptURL(url) : url) as string;
}
