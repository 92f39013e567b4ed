import { vi } from "vitest";

/** Lets the time of `vi.useFakeTimers` pass until the work is done. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(100);
    // Links are signed on other threads, in the real time that this takes there too.
    await crypto.subtle.digest("SHA-256", new Uint8Array());
  }
  return work;
}
