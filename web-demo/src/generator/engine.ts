// The generator as the page sees it: a worker, and promises. What nobody waits for any more is not begun.

import type { GenerateOptions } from "selvedge/web";

import { startWorker } from "../workers.js";
import workerUrl from "./generator.worker.ts?worker&url";
import type { Fault, Request, Response, Result } from "./protocol.js";

/** Why there is nothing to show, in the generator's words, and how long the listing was if it was read. */
export class NotGenerated extends Error {
  constructor(readonly fault: Fault, readonly bytes?: number) {
    super(fault.message);
  }
}

interface Waiting {
  take(response: Response): void;
  fail(error: Error): void;
}

export class Engine {
  readonly #worker = startWorker(workerUrl);
  readonly #waiting = new Map<number, Waiting>();
  #newest = 0;
  #running: Promise<unknown> = Promise.resolve();
  #latest = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<Response>) => {
      this.#waiting.get(data.id)?.take(data);
      this.#waiting.delete(data.id);
    };
    this.#worker.onerror = (event) => {
      const fault = { code: "notLoaded", message: `the page's worker could not be started (${event.message || "it was not found"})` };
      for (const { fail } of this.#waiting.values()) fail(new NotGenerated(fault));
      this.#waiting.clear();
    };
  }

  /** Generates; resolves with nothing where a later request has made this one useless. */
  async generate(listing: string, options: GenerateOptions): Promise<{ bytes: number; result: Result } | undefined> {
    this.#latest += 1;
    const mine = this.#latest;
    await this.#running;
    if (mine !== this.#latest) return undefined;
    const asked = this.#ask({ listing, options });
    this.#running = asked.catch(() => undefined);
    const response = await asked;
    if (mine !== this.#latest) return undefined;
    if (response.kind === "fault") throw new NotGenerated(response.fault, response.bytes);
    return response.kind === "result" ? response : undefined;
  }

  /** Tells all about one tool. */
  async detail(listing: string, options: GenerateOptions, tool: string): Promise<string | undefined> {
    const response = await this.#ask({ listing, options, tool });
    if (response.kind === "fault") throw new NotGenerated(response.fault, response.bytes);
    return response.kind === "detail" ? response.text : undefined;
  }

  #ask(request: Omit<Request, "id">): Promise<Response> {
    this.#newest += 1;
    const id = this.#newest;
    return new Promise((take, fail) => {
      this.#waiting.set(id, { take, fail });
      this.#worker.postMessage({ ...request, id });
    });
  }
}
