export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Runs steps in the order of a simulated clock, without waiting for real time. */
export class Scheduler {
  /** Sorted from latest to earliest; among equal times, the last one added comes first. */
  readonly #waiting: { at: number; run: () => void }[] = [];

  #isStopped = false;

  constructor(public now: number) {}

  /** Drops all waiting steps. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
  }

  after(milliseconds: number, run: () => void): void {
    if (this.#isStopped) return;
    const at = this.now + Math.max(0, milliseconds);
    this.#waiting.splice(this.#waiting.findLastIndex((other) => other.at > at) + 1, 0, { at, run });
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Runs all steps up to a time. Each step's microtasks finish before the next step begins. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#waiting.pop(); next !== undefined && next.at <= end; next = this.#waiting.pop()) {
      this.now = next.at;
      next.run();
      await new Promise(setImmediate);
    }
  }
}
