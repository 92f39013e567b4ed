import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newMessage, outboxIn } from "../../../functions/subscription-api/outbox/outbox";
import { databaseInMemory } from "../../support/database/database-in-memory";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An outbox with one message that is due. */
async function outboxOfOne() {
  const { db, rows, signUp } = databaseInMemory();
  const { id } = await signUp();
  await newMessage(db, { key: "a message", kind: "card-used", signUpId: id }, "TRUE").run();
  const outbox = outboxIn(db);
  return {
    rows,
    take: () => outbox.take(["card-used"], 6),
    /** Lets it fail for the nth time; what becomes of it, and after how long. */
    async fail(attempts: number) {
      rows(
        "UPDATE outbox SET state = 'due', attempts = ?, next_attempt_at = ?",
        attempts - 1,
        new Date(NOW).toISOString(),
      );
      const [message] = await outbox.take(["card-used"], 6);
      if (!message) throw new Error("Nothing was due");
      const state = await outbox.postpone(message);
      const [row] = rows("SELECT * FROM outbox");
      expect(row).toMatchObject({ state, attempts });
      return { state, delay: Date.parse(String(row?.next_attempt_at)) - NOW };
    },
  };
}

describe("a message", () => {
  test("that one run has taken is given to no other for a minute, and then again", async () => {
    const { take } = await outboxOfOne();
    expect(await take()).toHaveLength(1);
    vi.setSystemTime(NOW + MINUTE - 1);
    expect(await take()).toEqual([]);
    vi.setSystemTime(NOW + MINUTE);
    expect(await take()).toMatchObject([{ key: "a message", attempts: 2 }]);
  });

  test.each([
    [1, 30 * SECOND],
    [2, MINUTE],
    [3, 2 * MINUTE],
    [9, 128 * MINUTE],
    [10, 256 * MINUTE],
    [11, 6 * HOUR],
    [14, 6 * HOUR],
  ])("that failed %i times waits about %i ms: twice as long each time, six hours at most", async (failures, delay) => {
    const { fail } = await outboxOfOne();
    const random = vi.spyOn(Math, "random");
    random.mockReturnValue(0);
    expect(await fail(failures)).toEqual({ state: "due", delay: delay / 2 });
    random.mockReturnValue(0.5);
    expect(await fail(failures)).toEqual({ state: "due", delay });
    random.mockReturnValue(1);
    expect(await fail(failures)).toEqual({ state: "due", delay: 1.5 * delay });
  });

  test("that failed fifteen times is given up", async () => {
    const { fail, take } = await outboxOfOne();
    expect(await fail(15)).toMatchObject({ state: "dead" });
    vi.setSystemTime(NOW + 24 * HOUR);
    expect(await take()).toEqual([]);
  });
});
