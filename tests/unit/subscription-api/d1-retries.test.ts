import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isTransient, once, repeating } from "../../../functions/subscription-api/d1-retries";
import { databaseInMemory } from "../../support/database/database-in-memory";

const LOST = "D1_ERROR: Network connection lost.";
const UPDATE = "UPDATE packages SET name = 'other' WHERE name = 'MINI'";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A database whose calls fail with these messages, one after the other; then they work. */
function failing(messages: string[], mayRepeat = () => true) {
  /** When each call was sent, in milliseconds. */
  const sent: number[] = [];
  const { db, rows } = databaseInMemory(async (_label, effect) => {
    const message = messages[sent.length];
    sent.push(Date.now());
    if (message !== undefined) throw new Error(message);
    return effect();
  });
  return {
    db: repeating(db, mayRepeat),
    plain: db,
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

describe("a write that D1 loses in passing", () => {
  test.each([
    [0, [0, 50, 150]],
    [0.5, [0, 75, 225]],
    [0.9, [0, 95, 285]],
  ])("is sent again after a delay that doubles, cut by up to a half: by %d", async (random, times) => {
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

  test("is not sent again when there is no time left", async () => {
    const { db, sent } = failing([LOST, LOST], () => sent.length < 2);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe(LOST);
    expect(sent).toHaveLength(2);
  });

  test("has its values again, and answers as the first time would have", async () => {
    const { db } = failing([LOST]);
    const inserted = db.prepare("UPDATE packages SET name = ? WHERE name = ? RETURNING name").bind("other", "MINI");
    const row = inserted.first();
    await vi.runAllTimersAsync();
    expect(await row).toEqual({ name: "other" });
  });

  test("is one that also reads", async () => {
    const { db, sent } = failing([LOST]);
    expect(await outcomeOf(db.prepare("UPDATE packages SET name = (SELECT 'other')").run())).toBe("done");
    expect(sent).toHaveLength(2);
  });

  test("in a batch: all of it is sent again", async () => {
    const { db, sent, names } = failing([LOST]);
    expect(await outcomeOf(db.batch([db.prepare(UPDATE), db.prepare("SELECT 1")]))).toBe("done");
    expect(sent).toHaveLength(2);
    expect(names()).toHaveLength(1);
  });
});

describe("what is sent once", () => {
  test("a statement that only reads: D1 repeats it by itself", async () => {
    const { db, sent } = failing([LOST]);
    expect(await outcomeOf(db.prepare("\n  SELECT 1").all())).toBe(LOST);
    expect(sent).toHaveLength(1);
  });

  test.each([
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: UNIQUE constraint failed: sign_ups.idempotency_key",
  ])("after another error: %s", async (message) => {
    const { db, sent } = failing([message]);
    expect(await outcomeOf(db.prepare(UPDATE).run())).toBe(message);
    expect(sent).toHaveLength(1);
  });

  test("what must not be done twice, and any statement of a database that was never wrapped", async () => {
    const { db, plain, sent } = failing([LOST]);
    expect(once(db)).toBe(plain);
    expect(once(plain)).toBe(plain);
    expect(await outcomeOf(once(db).prepare(UPDATE).run())).toBe(LOST);
    expect(sent).toHaveLength(1);
  });
});

test("all else of the database and of its statements is as it was", async () => {
  const { db } = databaseInMemory();
  const session = Object.assign(db, {
    ofItsOwn: "a session",
    itself(this: unknown) {
      return this;
    },
  });
  const repeated = repeating(session, () => true);
  expect(Reflect.get(repeated, "ofItsOwn")).toBe("a session");
  expect(Reflect.apply(Reflect.get(repeated, "itself"), repeated, [])).toBe(session);
  expect(Reflect.get(repeated.prepare(UPDATE), "sql")).toBe(UPDATE);
});

test("what fails without an error is passed on as it is", async () => {
  const { db } = databaseInMemory(() => Promise.reject(null));
  await expect(
    repeating(db, () => true)
      .prepare(UPDATE)
      .run(),
  ).rejects.toBeNull();
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
])("whether it passes by itself: %s for %s", (passes, error) => {
  expect(isTransient(error)).toBe(passes);
});
