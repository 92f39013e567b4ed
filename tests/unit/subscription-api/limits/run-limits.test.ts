import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inParallel } from "../../../../functions/subscription-api/limits/in-parallel";
import { runLimits } from "../../../../functions/subscription-api/limits/run-limits";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a cron run has four minutes [H7]", () => {
  const limits = runLimits();
  vi.advanceTimersByTime(4 * 60_000 - 1);
  expect(limits.hasLeft()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(limits.hasLeft()).toBe(false);
});

test("a cron run has 800 calls, of which each part may have a share [H7]", () => {
  const limits = runLimits();
  limits.count(400);
  expect([limits.hasLeft(0.5), limits.hasLeft(0.51)]).toEqual([false, true]);
  limits.count(399);
  expect(limits.hasLeft()).toBe(true);
  limits.count(1);
  expect(limits.hasLeft()).toBe(false);
});

test("without a limit all work is done", async () => {
  const done: number[] = [];
  const left = await inParallel([1, 2, 3, 4, 5, 6, 7, 8], async (item) => void done.push(item));
  expect([done, left]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], []]);
});

test("work is done six at a time, and the rest is returned when time runs out [H7]", async () => {
  const items = Array.from({ length: 30 }, (_, index) => index);
  let running = 0;
  let most = 0;
  let done = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await vi.advanceTimersByTimeAsync(1);
    running -= 1;
    done += 1;
  };
  const left = await inParallel(items, work, () => done < 10);
  expect(most).toBe(6);
  expect(left.length).toBe(items.length - done);
  expect(left).toEqual(items.slice(done));
});
