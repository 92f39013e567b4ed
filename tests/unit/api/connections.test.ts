import { expect, test } from "vitest";
import { inParallel } from "../../../functions/subscription-api/connections";

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

test("work is begun on six items at a time, on the next as soon as one is done, and its error is thrown", async () => {
  const begun: number[] = [];
  void inParallel(ITEMS, async (item) => {
    begun.push(item);
    await new Promise(() => {});
  });
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  const done: number[] = [];
  await inParallel(ITEMS, async (item) => void done.push(item));
  expect(done).toEqual(ITEMS);
  await expect(inParallel(ITEMS, () => Promise.reject(new RangeError("of the first")))).rejects.toThrow("of the first");
});
