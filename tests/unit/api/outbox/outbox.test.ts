import { expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { iso, ON_TRIAL, outboxOf } from "./outbox-of";

/* Leases, attempts and the order of messages. */

stopClock();

test.each([
  { after: 2 * MINUTE - 1, isDue: false },
  { after: 2 * MINUTE, isDue: true },
])(
  "a message that one run has leased is due for another run after two minutes: $isDue after $after ms",
  async ({ after, isDue }) => {
    const { outbox, lease } = await outboxOf(ON_TRIAL, "card-used");
    await lease();
    vi.setSystemTime(NOW + after);
    expect(await outbox.take(["card-used"], 6)).toHaveLength(isDue ? 1 : 0);
  },
);

test("a run that crashed with a message counts as no attempt", async () => {
  const { lease } = await outboxOf(ON_TRIAL, "card-used");
  await lease();
  vi.setSystemTime(NOW + 2 * MINUTE);
  expect(await lease()).toMatchObject({ attempts: 0 });
});

test("a run whose lease has ended counts no attempt for the run that has the message now", async () => {
  const { outbox, lease, row } = await outboxOf(ON_TRIAL, "card-used");
  const first = await lease();
  vi.setSystemTime(NOW + 2 * MINUTE);
  await lease();
  await outbox.postpone(first);
  expect(row()).toMatchObject({ state: "due", attempts: 0 });
});

const PAUSES = [
  { nth: 1, pause: 30 * SECOND },
  { nth: 2, pause: MINUTE },
  { nth: 10, pause: 256 * MINUTE },
  { nth: 11, pause: 6 * HOUR },
  { nth: 14, pause: 6 * HOUR },
];

test.each(PAUSES.flatMap((each) => [0, 1].map((random) => ({ ...each, random }))))(
  "after failure $nth a message waits for half to one and a half times $pause ms (random number $random)",
  async ({ nth, pause, random }) => {
    const { outbox, rows, row, lease } = await outboxOf(ON_TRIAL, "card-used");
    vi.spyOn(Math, "random").mockReturnValue(random);
    rows("UPDATE outbox SET attempts = ?", nth - 1);
    expect(await outbox.postpone(await lease())).toBe("due");
    expect(row()).toMatchObject({ attempts: nth, next_attempt_at: iso(NOW + pause * (0.5 + random)) });
  },
);

test("after failure 15 a message is dead, and not due any more", async () => {
  const { outbox, rows, row, lease } = await outboxOf(ON_TRIAL, "card-used");
  rows("UPDATE outbox SET attempts = 14");
  expect(await outbox.postpone(await lease())).toBe("dead");
  expect(row()).toMatchObject({ state: "dead", attempts: 15, settled_at: null });
  vi.setSystemTime(NOW + DAY);
  expect(await outbox.take(["card-used"], 6)).toEqual([]);
});

const SETTLED = ["sent", "dropped", "dead"].map((state) => ({ state }));

test.each(SETTLED)("a message that is $state is not settled a second time", async ({ state }) => {
  const { outbox, rows, row, lease } = await outboxOf(ON_TRIAL, "card-used");
  const message = await lease();
  rows("UPDATE outbox SET state = ?, settled_at = 'then'", state);
  await outbox.settle(message, "trial-over");
  expect(row()).toMatchObject({ state, settled_at: "then", drop_reason: null });
});

test.each(SETTLED)("a message that is $state is not postponed", async ({ state }) => {
  const { outbox, rows, row, lease } = await outboxOf(ON_TRIAL, "card-used");
  const message = await lease();
  rows("UPDATE outbox SET state = ?", state);
  await outbox.postpone(message);
  expect(row()).toMatchObject({ state, attempts: 0 });
});

test("a flood of one kind does not delay others: the oldest of each kind goes first", async () => {
  const { dispatch, add, due } = await outboxOf(ON_TRIAL, "account-created", "email-verified", "card-used");
  for (const each of [1, 2, 3, 4, 5, 6, 7]) add(`trial-started ${each}`, "trial-started", NOW - DAY + each);
  await dispatch();
  expect(due()).toEqual(["trial-started 4", "trial-started 5", "trial-started 6", "trial-started 7"]);
});

test("a batch has six messages", async () => {
  const { dispatch, add } = await outboxOf(ON_TRIAL);
  for (const each of [1, 2, 3, 4, 5, 6, 7]) add(`trial-started ${each}`, "trial-started");
  expect(await dispatch()).toBe(6);
});
