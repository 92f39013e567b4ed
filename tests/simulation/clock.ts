import { mulberry32 } from "../support/random/mulberry32";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Random = ReturnType<typeof randomOf>;

/**
 * Numbers that only depend on the seed and a name: whoever has a name of their own draws the same ones, whoever else is
 * there. That is what makes a history that was made shorter still fail.
 */
export function randomOf(seed: number, name: string) {
  let state = seed | 0;
  for (let at = 0; at < name.length; at += 1)
    state = Math.imul(state ^ name.charCodeAt(at), 0x9e3779b1) ^ (state >>> 15);
  const next = mulberry32(state);
  return {
    /** From 0 up to 1. */
    next,
    chance: (probability: number) => next() < probability,
    between: (from: number, to: number) => from + next() * (to - from),
    oneOf: <T>(values: readonly [T, ...T[]]): T => values[Math.floor(next() * values.length)] ?? values[0],
  };
}

/** Everything that happens, in the order of a clock of its own. Nothing waits for real time. */
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

  /** Takes step after step until then. What a step sets off, in microtasks, is over before the next one is taken. */
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
