// Generates beside the page, so that a long listing holds nobody up.

import { detail, generate, init, surface, type GenerateOptions, type Level } from "selvedge/web";

import type { Fault, LevelResult, Request, Response, Result } from "./protocol.js";

const LEVELS: readonly Level[] = ["names", "two-line", "notes", "full"];

// The first run of a module is slow wherever it is; nobody need wait for that or see it in a figure.
const ready = init().then(() => void generate('[{"name":"warm","inputSchema":{"type":"object"}}]'));
// Who asks is told; nobody need hear of it twice.
ready.catch(() => undefined);

self.onmessage = async (event: MessageEvent<Request>): Promise<void> => {
  self.postMessage(await answer(event.data));
};

async function answer({ id, listing, options, tool }: Request): Promise<Response> {
  try {
    await ready;
    if (tool !== undefined) return { id, kind: "detail", text: detail(listing, tool, options) };
    return { id, kind: "result", result: all(listing, options) };
  } catch (error) {
    return { id, kind: "fault", fault: fault(error) };
  }
}

function all(listing: string, options: GenerateOptions): Result {
  const started = performance.now();
  const module = generate(listing, options);
  const took = performance.now() - started;
  const levels = LEVELS.map((level): LevelResult => {
    if (level === module.surface.level) return module.surface;
    try {
      return surface(listing, { ...options, level });
    } catch (error) {
      return { level, fault: fault(error) };
    }
  });
  return { module, levels, took };
}

function fault(error: unknown): Fault {
  const { code, message, line, column } = error as Partial<Fault>;
  const found: Fault = { code: code ?? "other", message: message ?? String(error) };
  if (line !== undefined) found.line = line;
  if (column !== undefined) found.column = column;
  return found;
}
