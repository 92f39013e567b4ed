import { expect, test } from "vitest";
import { inParallel } from "../../../functions/subscription-api/connections";

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
