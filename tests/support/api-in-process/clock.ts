import { afterEach, beforeEach, vi } from "vitest";

/** Stops the clock in each test of a file; its timers are real. */
export function stopClock(now: number): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }));
  afterEach(() => void vi.useRealTimers());
}
