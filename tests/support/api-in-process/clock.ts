import { afterEach, beforeEach, vi } from "vitest";

/** Signatures and hashes of the Web Crypto API under way in other threads, which take real time. */
let jobs = 0;
const METHODS = ["sign", "verify", "digest", "importKey"] as const;

/** Stops the clock, and timers too if a test lets time pass by `inTime`, in each test of a file. */
export function stopClock(now: number, { timers = false } = {}): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: timers ? ["Date", "setTimeout", "clearTimeout"] : ["Date"], now });
    if (timers) for (const name of METHODS) countJobs(name);
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const name of METHODS) Reflect.deleteProperty(crypto.subtle, name);
  });
}

function countJobs(name: (typeof METHODS)[number]): void {
  const real = crypto.subtle[name];
  const counted = async (...given: unknown[]): Promise<unknown> => {
    jobs += 1;
    return Promise.resolve(Reflect.apply(real, crypto.subtle, given)).finally(() => {
      jobs -= 1;
    });
  };
  Reflect.defineProperty(crypto.subtle, name, { value: counted, configurable: true });
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
    while (jobs > 0);
  }
  return work;
}
