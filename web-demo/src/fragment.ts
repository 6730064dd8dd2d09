// The state of the page as text after `#`, which browsers send nowhere. Long parts are packed.

/** What a link may unpack to: a link is as foreign as any other text. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

const state = new URLSearchParams(location.hash.slice(1));
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads the parts of the fragment. */
export function readFragment(): URLSearchParams {
  return new URLSearchParams(state);
}

/** Notes parts for the address, without a step in the history. Parts that are `undefined` go. */
export function note(parts: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined || value === "") state.delete(name);
    else state.set(name, value);
  }
  // The browser takes its time over an address; the person need not wait for that.
  clearTimeout(timer);
  timer = setTimeout(write);
}

/** Returns the address with all that was noted. */
export function address(): string {
  write();
  return location.href;
}

function write(): void {
  if (`${state}` !== location.hash.slice(1)) history.replaceState(null, "", `#${state}`);
}

/** Packs text for a link. */
export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Unpacks text of a link; what is damaged or too large is refused with a sentence. */
export async function unpack(packed: string): Promise<string> {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const data = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await readBounded(stream.getReader());
  } catch (error) {
    const why = error instanceof RangeError ? error.message : "it was cut or changed on its way";
    throw new Error(`The link could not be read: ${why}.`, { cause: error });
  }
}

async function readBounded(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MAX_UNPACKED_BYTES) {
      await reader.cancel();
      throw new RangeError(`it unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
