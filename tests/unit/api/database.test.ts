import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Database, databaseOver, isTransient } from "../../../functions/subscription-api/database";
import { databaseInMemory } from "../../support/api-in-process/database";

const LOST = "D1_ERROR: Network connection lost.";
const UPDATE = "UPDATE packages SET name = 'other' WHERE name = 'MINI'";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database whose calls fail with these messages, one after the other; then they work. */
function failing(messages: string[], mayRetry = () => true) {
  /** When each call was sent, in milliseconds. */
  const sent: number[] = [];
  const { d1, rows } = databaseInMemory(async (_label, effect) => {
    const message = messages[sent.length];
    sent.push(Date.now());
    if (message !== undefined) throw new Error(message);
    return effect();
  });
  return {
    db: databaseOver(d1, { mayRetry }),
    sent,
    names: () => rows("SELECT name FROM packages WHERE name = 'other'"),
  };
}

/** What became of the work, with all the time that it waits for. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  const settled = work.then(
    () => "done",
    (error: Error) => error.message,
  );
  await vi.runAllTimersAsync();
  return settled;
}

describe("a write that D1 loses to a transient failure", () => {
  test.each([
    [0, [0, 50, 150]],
    [0.5, [0, 75, 225]],
    [0.9, [0, 95, 285]],
  ])("is retried after a delay that doubles, less a random part of up to half: %d", async (random, times) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const { db, sent, names } = failing([LOST, LOST]);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe("done");
    expect(sent).toHaveLength(times.length);
    for (const [index, time] of times.entries()) expect(sent[index]).toBeCloseTo(time, 0);
    expect(names()).toHaveLength(1);
  });

  test("is sent three times at most", async () => {
    const { db, sent } = failing([LOST, LOST, LOST]);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe(LOST);
    expect(sent).toHaveLength(3);
  });

  test("is not retried without time left", async () => {
    const { db, sent } = failing([LOST, LOST], () => sent.length < 2);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe(LOST);
    expect(sent).toHaveLength(2);
  });

  test("is retried with its values, and returns the first result's shape", async () => {
    const { db } = failing([LOST]);
    const inserted = db.prepare("UPDATE packages SET name = ? WHERE name = ? RETURNING name").bind("other", "MINI");
    const row = inserted.first();
    await vi.runAllTimersAsync();
    expect(await row).toEqual({ name: "other" });
  });

  test("is retried if it also reads", async () => {
    const { db, sent } = failing([LOST]);
    expect(await outcomeOf(db.prepare("UPDATE packages SET name = (SELECT 'other')").run())).toBe("done");
    expect(sent).toHaveLength(2);
  });

  test("is retried as a whole batch", async () => {
    const { db, sent, names } = failing([LOST]);
    expect(await outcomeOf(db.batch({ update: db.prepare(UPDATE), read: db.prepare("SELECT 1") }))).toBe("done");
    expect(sent).toHaveLength(2);
    expect(names()).toHaveLength(1);
  });
});

describe("a statement is sent once", () => {
  test("if it only reads: D1 itself repeats it", async () => {
    const { db, sent } = failing([LOST]);
    expect(await outcomeOf(db.prepare("\n  SELECT 1").all())).toBe(LOST);
    expect(sent).toHaveLength(1);
  });

  test.each([
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: UNIQUE constraint failed: sign_ups.idempotency_key",
  ])("after any other error: %s", async (message) => {
    const { db, sent } = failing([message]);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe(message);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["statement", (db: Database) => db.withoutRetry.prepare(UPDATE).run()],
    ["batch", (db: Database) => db.withoutRetry.batch({ update: db.prepare(UPDATE) })],
  ])("as a %s that must not run twice", async (_, send) => {
    const { db, sent } = failing([LOST]);
    expect(await outcomeOf(send(db))).toBe(LOST);
    expect(sent).toHaveLength(1);
  });
});

test("each statement is reported once when it is prepared, batches are not", async () => {
  const onStatement = vi.fn();
  const db = databaseOver(databaseInMemory().d1, { onStatement });
  expect(await db.prepare("SELECT ? AS one").bind(1).first("one")).toBe(1);
  await db.batch({ update: db.withoutRetry.prepare(UPDATE) });
  expect(onStatement).toHaveBeenCalledTimes(2);
});

test("a rejection that is not an Error is rethrown unchanged", async () => {
  const { d1 } = databaseInMemory(() => Promise.reject(null));
  const db = databaseOver(d1, { mayRetry: () => true });
  await expect(db.prepare(UPDATE).run()).rejects.toBeNull();
});

test.each<[boolean, unknown]>([
  [true, new Error(LOST)],
  [true, new Error("Internal error while starting up D1 DB storage caused object to be reset.")],
  [true, new Error("D1 DB reset because its code was updated.")],
  [true, new Error("Cannot resolve D1 DB due to transient issue on remote node.")],
  [true, new Error("D1 DB is overloaded. Requests queued for too long.")],
  [true, new Error("D1 DB exceeded its memory limit and was reset.")],
  [true, new Error("Failed", { cause: new Error(LOST) })],
  [false, new Error("no such table: sign_ups")],
  [false, new Error("Failed", { cause: LOST })],
  [false, LOST],
])("an error is transient: %s for %s", (passes, error) => {
  expect(isTransient(error)).toBe(passes);
});

test("each result of a batch has its statement's name", async () => {
  const { db } = databaseInMemory();
  const { two, one } = await db.batch({
    two: db.prepare("SELECT 2 AS n"),
    one: db.prepare("SELECT 1 AS n"),
  });
  expect([one.results, two.results]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});
