import { createHook } from "node:async_hooks";
import { afterEach, beforeEach, vi } from "vitest";

/** Hashes and signatures under way in other threads, which take real time. */
const jobs = new Set<number>();
createHook({
  init: (id, type) => void (/^(HASH|SIGN|VERIFY)REQUEST$/.test(type) && jobs.add(id)),
  after: (id) => void jobs.delete(id),
}).enable();

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
 * Lets time pass until the work is done; it stands still while another thread works.
 * @param step in milliseconds
 */
export async function inTime<T>(work: Promise<T>, step = 100): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(step);
    do await new Promise((resolve) => setImmediate(resolve));
    while (jobs.size > 0);
  }
  return work;
}
