// Keeps the files of one build, so that the page opens without a network. Filled in when the page is built.

const CACHE = "selvedge-playground-__VERSION__";
const FILES = ["__FILES__"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOthers().then(() => self.clients.claim()));
});

async function dropOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith("selvedge-playground-") && name !== CACHE) await caches.delete(name);
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});

// The page itself comes from the network where there is one: a new build must be seen.
async function answer(request) {
  // Names hold a digest, so a file is the same for whoever asks.
  const kept = await caches.match(request, { cacheName: CACHE, ignoreSearch: true, ignoreVary: true });
  if (request.mode !== "navigate") return kept ?? fetch(request);
  return fetch(request).catch(() => kept ?? caches.match("./", { cacheName: CACHE, ignoreVary: true }));
}
