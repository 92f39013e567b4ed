export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Runs steps in the order of a simulated clock, without waiting for real time. */
export class Scheduler {
  /** The latest first. */
  readonly #waiting: { at: number; run: () => void }[] = [];

  constructor(public now: number) {}

  after(milliseconds: number, run: () => void): void {
    const waiting = { at: this.now + Math.max(0, milliseconds), run };
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#waiting[middle]?.at ?? 0) > waiting.at) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, waiting);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Runs the steps until a time. A step's microtasks end before the next step begins. */
  runUntil(end: number): Promise<void> {
    return new Promise((resolve) => {
      const next = () => {
        const waiting = this.#waiting.pop();
        if (waiting === undefined || waiting.at > end) return resolve();
        this.now = waiting.at;
        waiting.run();
        setImmediate(next);
      };
      next();
    });
  }
}
