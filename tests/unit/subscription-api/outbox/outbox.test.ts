import { describe, expect, test, vi } from "vitest";
import { newMessage, outboxIn } from "../../../../functions/subscription-api/outbox/outbox";
import { stuckMessagesIn } from "../../../../functions/subscription-api/outbox/stuck-messages";
import { stopClock } from "../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../support/api-in-process/database";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");

stopClock(NOW);

/** An outbox with one message that is due. */
async function outboxOfOne() {
  const { db, rows, signUp } = databaseInMemory();
  const { id } = await signUp();
  await newMessage(db, { key: "a message", kind: "card-used", signUpId: id }, "TRUE").run();
  const outbox = outboxIn(db);
  return {
    rows,
    outbox,
    stuck: stuckMessagesIn(db),
    signUpId: id,
    make: (key: string) => newMessage(db, { key, kind: "card-used", signUpId: id }, "TRUE").run(),
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

describe("an outbox message", () => {
  test("is leased to one run for a minute", async () => {
    const { take } = await outboxOfOne();
    expect(await take()).toHaveLength(1);
    vi.setSystemTime(NOW + MINUTE - 1);
    expect(await take()).toEqual([]);
    vi.setSystemTime(NOW + MINUTE);
    // Who took it first may have crashed, which is no failure of the message.
    expect(await take()).toMatchObject([{ key: "a message", attempts: 0 }]);
  });

  test.each([
    [1, 30 * SECOND],
    [2, MINUTE],
    [3, 2 * MINUTE],
    [9, 128 * MINUTE],
    [10, 256 * MINUTE],
    [11, 6 * HOUR],
    [14, 6 * HOUR],
  ])("after %i failures waits about %i ms: twice as long each time, up to six hours", async (failures, delay) => {
    const { fail } = await outboxOfOne();
    const random = vi.spyOn(Math, "random");
    random.mockReturnValue(0);
    expect(await fail(failures)).toEqual({ state: "due", delay: delay / 2 });
    random.mockReturnValue(0.5);
    expect(await fail(failures)).toEqual({ state: "due", delay });
    random.mockReturnValue(1);
    expect(await fail(failures)).toEqual({ state: "due", delay: 1.5 * delay });
  });

  test("is given up after fifteen failures", async () => {
    const { fail, take } = await outboxOfOne();
    expect(await fail(15)).toMatchObject({ state: "dead" });
    vi.setSystemTime(NOW + 24 * HOUR);
    expect(await take()).toEqual([]);
  });

  test("is postponed only by the run that holds its lease", async () => {
    const { outbox, rows, take } = await outboxOfOne();
    const [first] = await take();
    vi.setSystemTime(NOW + MINUTE);
    const [second] = await take();
    if (!first || !second) throw new Error("Nothing was due");
    const before = rows("SELECT * FROM outbox");
    await outbox.postpone(first);
    expect(rows("SELECT * FROM outbox")).toEqual(before);
    await outbox.postpone(second);
    expect(rows("SELECT * FROM outbox")).not.toEqual(before);
  });

  test.each(["sent", "dropped", "dead"])("stays %s", async (state) => {
    const { outbox, rows, take } = await outboxOfOne();
    const [message] = await take();
    if (!message) throw new Error("Nothing was due");
    rows("UPDATE outbox SET state = ?, settled_at = 'then'", state);
    await outbox.settle(message, state === "sent" ? "trial-over" : null);
    await outbox.postpone(message);
    expect(rows("SELECT * FROM outbox")).toMatchObject([{ state, settled_at: "then", drop_reason: null }]);
  });

  test("is not duplicated when it is added again, even after it was sent", async () => {
    const { make, rows, take, outbox } = await outboxOfOne();
    const [message] = await take();
    if (!message) throw new Error("Nothing was due");
    await outbox.settle(message, null);
    await make("a message");
    expect(rows("SELECT state, attempts FROM outbox")).toEqual([{ state: "sent", attempts: 1 }]);
  });

  test("knows when its sign-up began, whenever it was added", async () => {
    const { rows, take } = await outboxOfOne();
    rows("UPDATE sign_ups SET created_at = '2026-11-20T00:00:00.000Z'");
    expect(await take()).toMatchObject([{ signed_up_at: "2026-11-20T00:00:00.000Z" }]);
  });
});

describe("outbox messages", () => {
  test("are taken in due order, each kind before the next", async () => {
    const { outbox, make, rows } = await outboxOfOne();
    for (const [key, due] of [
      ["second", -1],
      ["first", -2],
      ["third", 0],
      ["later", 1],
    ] as const) {
      await make(key);
      rows("UPDATE outbox SET next_attempt_at = ? WHERE key = ?", new Date(NOW + due).toISOString(), key);
    }
    rows("UPDATE outbox SET kind = 'trial-ending' WHERE key = 'a message'");
    const taken = async (limit: number) =>
      (await outbox.take(["card-used", "trial-ending"], limit)).map(({ key }) => key).sort();
    expect(await taken(2)).toEqual(["first", "second"]);
    expect(await taken(1)).toEqual(["third"]);
    expect(await taken(9)).toEqual(["a message"]);
  });

  test("are exported for a person in the order they were added", async () => {
    const { outbox, make, signUpId } = await outboxOfOne();
    vi.setSystemTime(NOW + MINUTE);
    await make("after it");
    expect(await outbox.messagesOf(signUpId)).toMatchObject([{ key: "a message" }, { key: "after it" }]);
  });

  test("are counted by kind once they are due", async () => {
    const { outbox, make, rows } = await outboxOfOne();
    await make("later");
    rows("UPDATE outbox SET next_attempt_at = ? WHERE key = 'later'", new Date(NOW + 1).toISOString());
    expect(await outbox.backlog(["card-used"])).toEqual({ due: 1, oldest: new Date(NOW).toISOString() });
    expect(await outbox.backlog(["trial-ending"])).toEqual({ due: 0, oldest: null });
    rows("UPDATE outbox SET state = 'dead'");
    expect([await outbox.backlog(["card-used"]), await outbox.countDead()]).toEqual([{ due: 0, oldest: null }, 2]);
  });

  test("are deleted long after they were sent or dropped, but never while due or given up", async () => {
    const { outbox, make, rows } = await outboxOfOne();
    const before = new Date(NOW + HOUR);
    for (const [key, state, settled] of [
      ["sent", "sent", NOW],
      ["dropped", "dropped", NOW],
      ["sent later", "sent", NOW + HOUR],
      ["given up", "dead", null],
    ] as const) {
      await make(key);
      const settledAt = settled === null ? null : new Date(settled).toISOString();
      rows("UPDATE outbox SET state = ?, settled_at = ? WHERE key = ?", state, settledAt, key);
    }
    const left = () => rows("SELECT key FROM outbox ORDER BY key").map(({ key }) => key);
    await outbox.deleteSettled(before, 1);
    expect(left()).toHaveLength(4);
    await outbox.deleteSettled(before, 9);
    expect(left()).toEqual(["a message", "given up", "sent later"]);
  });
});

describe("messages that an operator resends", () => {
  test.each<[string, string, boolean]>([
    ["given up", "state = 'dead', next_attempt_at = '2026-11-22T11:00:00.000Z'", true],
    ["waits for another attempt", "attempts = 3, next_attempt_at = '2026-11-22T12:01:00.001Z'", true],
    ["perhaps being sent", "attempts = 3, next_attempt_at = '2026-11-22T12:01:00.000Z'", false],
    ["due", "next_attempt_at = '2026-11-22T12:00:00.000Z'", false],
    ["sent", "state = 'sent', next_attempt_at = '2026-11-22T13:00:00.000Z'", false],
    ["dropped", "state = 'dropped', next_attempt_at = '2026-11-22T13:00:00.000Z'", false],
  ])("may be %s", async (_, columns, again) => {
    const { rows, stuck } = await outboxOfOne();
    rows(`UPDATE outbox SET ${columns}`);
    const before = rows("SELECT * FROM outbox");
    expect(await stuck.sendAgain("a message")).toBe(again);
    expect(await stuck.sendAgain("another")).toBe(false);
    const now = { state: "due", attempts: 0, next_attempt_at: new Date(NOW).toISOString() };
    expect(rows("SELECT * FROM outbox")).toEqual(again ? [{ ...before[0], ...now }] : before);
  });

  test("are all that were given up, and no others", async () => {
    const { make, rows, stuck } = await outboxOfOne();
    for (const state of ["dead", "sent", "dropped", "due"]) {
      await make(state);
      rows("UPDATE outbox SET state = ?, attempts = 15 WHERE key = ?", state, state);
    }
    expect(await stuck.sendDeadAgain()).toBe(1);
    expect(rows("SELECT state, attempts FROM outbox WHERE key <> 'a message' ORDER BY key")).toEqual([
      { state: "due", attempts: 0 },
      { state: "dropped", attempts: 15 },
      { state: "due", attempts: 15 },
      { state: "sent", attempts: 15 },
    ]);
  });

  test.each<[string, string, boolean]>([
    ["given up", "state = 'dead'", true],
    ["tried twice", "attempts = 2", true],
    ["tried once", "attempts = 1", false],
    ["due for five minutes", "next_attempt_at = '2026-11-22T11:55:00.000Z'", false],
    ["due for longer", "next_attempt_at = '2026-11-22T11:54:59.999Z'", true],
    ["due for longer, of a kind that is not sent", "next_attempt_at = '', kind = 'account-created'", false],
    ["sent", "state = 'sent', attempts = 2", false],
  ])("are among those listed: %s", async (_, columns, listed) => {
    const { rows, stuck } = await outboxOfOne();
    rows(`UPDATE outbox SET ${columns}`);
    expect((await stuck.list(["card-used"], 9)).map(({ key }) => key)).toEqual(listed ? ["a message"] : []);
  });
});
