// A promise that is settled from outside.

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  // Whoever waits is told; an error that nobody waits for is no failure of the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
