// A promise that is settled from outside.

/** A promise, and what settles it. */
export interface Deferred<T> {
  /** What is waited for. */
  readonly promise: Promise<T>;
  /** Ends the waiting with a value. */
  resolve(value: T): void;
  /** Ends the waiting with an error. */
  reject(error: unknown): void;
}

/** Makes a promise that waits to be settled. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  // Whoever waits is told; an error that nobody waits for is no failure of the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
