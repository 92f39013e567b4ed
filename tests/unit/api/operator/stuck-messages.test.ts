import { expect, test } from "vitest";
import { sendAgain, stuckMessages } from "../../../../functions/subscription-api/operator/stuck-messages";
import { SEND_LEASE_MS } from "../../../../functions/subscription-api/outbox/outbox";
import { MINUTE } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { iso, ON_TRIAL, outboxOf } from "../outbox/outbox-of";

/* The messages that an operator sees and can resend. */

stopClock();

const FIVE_MINUTES_AGO = iso(NOW - 5 * MINUTE);
const EARLIER = iso(NOW - 5 * MINUTE - 1);

type Row = { what: string; columns: string; isListed: boolean; canBeSentAgain: boolean };

const ROWS: Row[] = [
  { what: "dead", columns: "state = 'dead'", isListed: true, canBeSentAgain: true },
  {
    what: "tried twice and waits for longer than a lease",
    columns: `attempts = 2, next_attempt_at = '${iso(NOW + SEND_LEASE_MS + 1)}'`,
    isListed: true,
    canBeSentAgain: true,
  },
  {
    what: "tried twice and may be on its way",
    columns: `attempts = 2, next_attempt_at = '${iso(NOW + SEND_LEASE_MS)}'`,
    isListed: true,
    canBeSentAgain: false,
  },
  {
    what: "tried twice and late",
    columns: `attempts = 2, next_attempt_at = '${EARLIER}'`,
    isListed: true,
    canBeSentAgain: false,
  },
  {
    what: "tried once",
    columns: `attempts = 1, next_attempt_at = '${iso(NOW)}'`,
    isListed: false,
    canBeSentAgain: false,
  },
  {
    what: "due for five minutes",
    columns: `next_attempt_at = '${FIVE_MINUTES_AGO}'`,
    isListed: false,
    canBeSentAgain: false,
  },
  { what: "due for longer", columns: `next_attempt_at = '${EARLIER}'`, isListed: true, canBeSentAgain: false },
  { what: "sent", columns: "state = 'sent', attempts = 2", isListed: false, canBeSentAgain: false },
];

async function messageWith(columns: string) {
  const api = await outboxOf(ON_TRIAL, "card-used");
  api.rows(`UPDATE outbox SET ${columns}`);
  return api;
}

test.each(ROWS)("a message that is $what is listed: $isListed", async ({ columns, isListed }) => {
  const { db } = await messageWith(columns);
  expect(await stuckMessages(db, ["card-used"], 9)).toMatchObject(isListed ? [{ key: "card-used" }] : []);
});

test("a late message whose kind has no receiver is not listed", async () => {
  const { db } = await messageWith(`next_attempt_at = '${EARLIER}'`);
  expect(await stuckMessages(db, ["trial-ending"], 9)).toEqual([]);
});

test("a dead message is listed although its kind has no receiver now", async () => {
  const { db } = await messageWith("state = 'dead'");
  expect(await stuckMessages(db, ["trial-ending"], 9)).toMatchObject([{ key: "card-used" }]);
});

test.each(ROWS.filter(({ canBeSentAgain }) => canBeSentAgain))(
  "a message that is $what can be sent again, with all its attempts",
  async ({ columns }) => {
    const { db, row } = await messageWith(columns);
    expect(await sendAgain(db, "card-used")).toBe(true);
    expect(row()).toMatchObject({ state: "due", attempts: 0, next_attempt_at: iso(NOW) });
  },
);

test.each(ROWS.filter(({ canBeSentAgain }) => !canBeSentAgain))(
  "a message that is $what stays as it is",
  async ({ columns }) => {
    const { db, row } = await messageWith(columns);
    const before = row();
    expect(await sendAgain(db, "card-used")).toBe(false);
    expect(row()).toEqual(before);
  },
);

test("a message that does not exist cannot be sent again", async () => {
  const { db } = await messageWith("state = 'dead'");
  expect(await sendAgain(db, "another")).toBe(false);
});
