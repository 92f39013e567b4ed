import { expect, test, vi } from "vitest";
import { inParallel, runLimits } from "../../../functions/subscription-api/cloudflare-limits";
import { MINUTE } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";

stopClock();

test.each([
  { calls: 799, after: 4 * MINUTE - 1, goesOn: true },
  { calls: 800, after: 0, goesOn: false },
  { calls: 0, after: 4 * MINUTE, goesOn: false },
])("after $calls calls and $after ms a run goes on: $goesOn", ({ calls, after, goesOn }) => {
  const limits = runLimits();
  limits.count(calls - 1);
  limits.count(1);
  vi.setSystemTime(NOW + after);
  expect(limits.hasLeft()).toBe(goesOn);
});

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

test("work is begun on six items at a time", () => {
  const begun: number[] = [];
  void inParallel(ITEMS, async (item) => {
    begun.push(item);
    await new Promise(() => {});
  });
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

test("an item is begun as soon as another one is done", async () => {
  const done: number[] = [];
  await inParallel(ITEMS, async (item) => void done.push(item));
  expect(done).toEqual(ITEMS);
});

test("the work's error is thrown", async () => {
  const work = async (item: number) => {
    if (item === 3) throw new RangeError("of the third");
  };
  await expect(inParallel(ITEMS, work)).rejects.toThrow("of the third");
});
