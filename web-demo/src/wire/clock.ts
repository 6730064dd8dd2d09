// The visible clock of the wire: it plays at a chosen pace, and stands still otherwise.

export class Clock {
  #last: number | undefined;
  /** Milliseconds of the session for one of the person. */
  pace = 0.5;

  constructor(private readonly tick: (passed: number) => void) {}

  get isRunning(): boolean {
    return this.#last !== undefined;
  }

  start(): void {
    if (this.isRunning) return;
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  stop(): void {
    this.#last = undefined;
  }

  #frame(now: number): void {
    if (this.#last === undefined) return;
    // A page that was in the background does not catch up.
    const passed = Math.min(100, Math.max(0, now - this.#last)) * this.pace;
    this.#last = now;
    this.tick(passed);
    requestAnimationFrame((next) => this.#frame(next));
  }
}
