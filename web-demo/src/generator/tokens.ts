// Sizes in tokens: an estimate at once, the count when the counter is there and in time.

import { thousands } from "../numbers.js";
import { startWorker } from "../workers.js";
import type { CountResponse } from "./protocol.js";
import workerUrl from "./tokens.worker.ts?worker&url";

/** Text that is all one word takes a tokenizer very long; the estimate stays then. */
const PATIENCE = 8_000;

export interface Size {
  tokens: number;
  isExact: boolean;
}

/** Estimates: four characters make a token, as code and JSON do within a fifth. */
export function estimate(text: string): Size {
  return { tokens: Math.ceil(text.length / 4), isExact: false };
}

export function written(size: Size): string {
  return `${size.isExact ? "" : "≈ "}${thousands(size.tokens)}`;
}

export class Counter {
  #worker: Worker | undefined;
  #isReady: Promise<boolean> | undefined;
  #newest = 0;
  readonly #known = new Map<string, number>();

  /** Loads the table, when the page has nothing better to do. */
  load(): Promise<boolean> {
    this.#isReady ??= new Promise((resolve) => {
      const worker = startWorker(workerUrl);
      worker.onmessage = () => resolve(true);
      worker.onerror = () => resolve(false);
      this.#worker = worker;
    });
    return this.#isReady;
  }

  /** Returns what is known about a text without waiting. */
  now(text: string): Size {
    const tokens = this.#known.get(text);
    return tokens === undefined ? estimate(text) : { tokens, isExact: true };
  }

  /** Counts what is not counted yet; resolves with whether something was learnt. */
  async count(texts: string[]): Promise<boolean> {
    const unknown = texts.filter((text) => !this.#known.has(text));
    if (unknown.length === 0 || !(await this.load()) || !this.#worker) return false;
    const counts = await this.#ask(this.#worker, unknown);
    if (!counts) return false;
    if (this.#known.size > 200) this.#known.clear();
    unknown.forEach((text, index) => this.#known.set(text, counts[index] ?? 0));
    return true;
  }

  #ask(worker: Worker, texts: string[]): Promise<number[] | undefined> {
    this.#newest += 1;
    const id = this.#newest;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        worker.terminate();
        if (this.#worker === worker) this.#isReady = undefined;
        resolve(undefined);
      }, PATIENCE);
      worker.addEventListener("message", function take({ data }: MessageEvent<CountResponse>) {
        if (data.id !== id) return;
        clearTimeout(timer);
        worker.removeEventListener("message", take);
        resolve(data.counts);
      });
      worker.postMessage({ id, texts });
    });
  }
}
