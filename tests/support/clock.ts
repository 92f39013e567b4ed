import { afterEach, beforeEach, vi } from "vitest";

export const NOW = Date.parse("2026-11-22T12:00:00.000Z");

/** Stops the clock in each test of a file; its timers are real. */
export function stopClock(now = NOW): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }));
  afterEach(() => void vi.useRealTimers());
}
