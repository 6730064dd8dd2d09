// Generates beside the page, so that a long listing holds nobody up.

import { detail, generate, init, surface, type GenerateOptions, type Level } from "selvedge/web";

import { locate } from "./place.js";
import type { Fault, File, LevelResult, Request, Response, Result, Sized } from "./protocol.js";

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
    return { id, kind: "result", bytes: utf8Length(listing), result: all(listing, options) };
  } catch (error) {
    return { id, kind: "fault", bytes: utf8Length(listing), fault: fault(error, listing) };
  }
}

function all(listing: string, options: GenerateOptions): Result {
  const started = performance.now();
  const { path, source, support, functions, losses, surface: richest } = generate(listing, options);
  const took = performance.now() - started;
  const best = { level: richest.level, ...sized(richest.text) };
  const levels = LEVELS.map((level): LevelResult => {
    if (level === best.level) return best;
    try {
      return { level, ...sized(surface(listing, { ...options, level }).text) };
    } catch (error) {
      return { level, fault: fault(error, listing) };
    }
  });
  const files = [{ path, text: source }, ...support].map(file);
  return { files, functions, losses, levels, best, took };
}

function file({ path, text }: { path: string; text: string }): File {
  return { path, ...sized(text), lines: text.split("\n").length - 1 };
}

function sized(text: string): Sized {
  return { text, bytes: utf8Length(text) };
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function fault(error: unknown, listing: string): Fault {
  const { code, message, line, column } = error as { code?: string; message?: string; line?: number; column?: number };
  const found: Fault = { code: code ?? "other", message: message ?? String(error) };
  if (line !== undefined && column !== undefined) found.place = locate(listing, line, column);
  return found;
}
