import { afterEach, beforeEach, vi } from "vitest";

/** Stops the clock, and timers too if a test lets time pass by `inTime`, in each test of a file. */
export function stopClock(now: number, { timers = false } = {}): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: timers ? ["Date", "setTimeout", "clearTimeout"] : ["Date"], now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/**
 * Lets time pass until the work is done.
 * @param step in milliseconds; where the time counts a short one, since what other threads do takes its real time
 */
export async function inTime<T>(work: Promise<T>, step = 100): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(step);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return work;
}
