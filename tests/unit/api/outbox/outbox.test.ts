import { expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { sendAgain, stuckMessages } from "../../../../functions/subscription-api/operator/stuck-messages";
import { dispatchMessages } from "../../../../functions/subscription-api/outbox/dispatch";
import { trialOf } from "../../../../functions/subscription-api/outbox/emails/trial-facts";
import { LEASE_MS, type Message, reminderKey } from "../../../../functions/subscription-api/outbox/outbox";
import type { Billing } from "../../../../functions/subscription-api/stripe/billing";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import { DAY, HOUR, MINUTE, SECOND } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { MESSAGE } from "./message";

stopClock();

const iso = (time: number) => new Date(time).toISOString();
const ON_TRIAL = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";

/** An outbox about one sign-up without a plan, with messages by their kind that are due now. */
async function outboxOf(columns: string, ...kinds: string[]) {
  const api = signUpsInProcess();
  const { rows, services } = api;
  const { id } = await api.unknownToStripe({}, `package_id = NULL, stripe_customer_id = 'cus_1', ${columns}`);
  const insertion = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
  const add = (key: string, kind: string, due = NOW) =>
    rows(`${insertion} VALUES (?1, ?2, ?3, ?4, ?4)`, key, id, kind, iso(due));
  for (const kind of kinds) add(kind, kind);
  const { outbox } = services;
  return {
    ...{ ...api, id, add, outbox },
    row: () => rows("SELECT state, drop_reason, attempts, next_attempt_at, settled_at FROM outbox")[0],
    due: () => rows("SELECT key FROM outbox WHERE state = 'due' ORDER BY key").map(({ key }) => key),
    dispatch: (changed: Partial<typeof services> = {}) => dispatchMessages({ ...services, ...changed }),
    taken: async () => (await outbox.take(["card-used"], 6))[0] ?? MESSAGE,
    /** What provider and console got, each with the last part of its URL. */
    received: () =>
      vi.mocked(fetch).mock.calls.flatMap(([url, init]) => {
        const place = /(emails|webhook)$/.exec(String(url))?.[0];
        return place ? [{ place, ...JSON.parse(String(init?.body)) }] : [];
      }),
  };
}

test("a message is leased to one run for two minutes; a crash is no failure; only that run counts one", async () => {
  const { outbox, row, taken } = await outboxOf(ON_TRIAL, "card-used");
  const first = await taken();
  vi.setSystemTime(NOW + 2 * MINUTE - 1);
  expect(await outbox.take(["card-used"], 6)).toEqual([]);
  vi.setSystemTime(NOW + 2 * MINUTE);
  expect(await taken()).toMatchObject({ key: "card-used", attempts: 0 });
  await outbox.postpone(first);
  expect(row()).toMatchObject({ state: "due", attempts: 0 });
});

test.each([
  [1, 30 * SECOND, "due"],
  [10, 256 * MINUTE, "due"],
  [11, 6 * HOUR, "due"],
  [14, 6 * HOUR, "due"],
  [15, 6 * HOUR, "dead"],
])("failure %i: a pause of about %i ms, and the message is %s", async (nth, delay, state) => {
  const { outbox, rows, row, taken } = await outboxOf(ON_TRIAL, "card-used");
  for (const random of [0, 1]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    rows("UPDATE outbox SET state = 'due', attempts = ?, next_attempt_at = ?", nth - 1, iso(NOW));
    expect(await outbox.postpone(await taken())).toBe(state);
    const next_attempt_at = iso(NOW + delay * (0.5 + random));
    expect(row()).toMatchObject({ state, attempts: nth, next_attempt_at, settled_at: null });
  }
  vi.setSystemTime(NOW + DAY);
  expect(await outbox.take(["card-used"], 6)).toHaveLength(state === "due" ? 1 : 0);
});

test.each(["sent", "dropped", "dead"])("a message that is %s stays so", async (state) => {
  const { outbox, rows, row, taken } = await outboxOf(ON_TRIAL, "card-used");
  const message = await taken();
  rows("UPDATE outbox SET state = ?, settled_at = 'then'", state);
  await outbox.settle(message, state === "sent" ? "trial-over" : null);
  await outbox.postpone(message);
  expect(row()).toMatchObject({ state, settled_at: "then", drop_reason: null });
});

test("a flood of one kind delays no other: of each kind the oldest goes first", async () => {
  const { dispatch, add, due } = await outboxOf(ON_TRIAL, "account-created", "email-verified", "card-used");
  for (let index = 0; index < 7; index += 1) add(`trial-started ${index}`, "trial-started", NOW - DAY + index);
  expect(await dispatch()).toBe(6);
  expect(due()).toEqual([3, 4, 5, 6].map((index) => `trial-started ${index}`));
});

test("account webhooks wait until there is a console; emails do not", async () => {
  const { dispatch, due, received } = await outboxOf(ON_TRIAL, "account-created", "account-closed", "trial-started");
  expect(await dispatch({ accountWebhook: undefined })).toBe(1);
  expect(due()).toEqual(["account-closed", "account-created"]);
  expect(await dispatch()).toBe(2);
  expect([due(), received().map(({ place }) => place)]).toEqual([[], ["emails", "webhook", "webhook"]]);
});

const USED = `Your ${company.name} trial has not started`;

test.each<[string, string, to: string | null, subject: string]>([
  ["trial-started", ON_TRIAL, "ada@example.com", `Your ${company.name} trial has started`],
  ["not-me-reported", ON_TRIAL, company.supportEmail, "“This wasn’t me”: sign-up"],
  ["card-used", "status = 'pending'", "ada@example.com", USED],
  ["card-used", "status = 'ended', end_reason = 'cards-failed'", "ada@example.com", USED],
  ["card-used", "status = 'card_set_up'", null, "trial-began"],
  ["card-used", ON_TRIAL, null, "trial-began"],
  ["card-used", "status = 'canceled'", null, "trial-began"],
])("the email %s of a sign-up with %s goes to %s: %s", async (kind, columns, address, words) => {
  const { dispatch, row, received } = await outboxOf(columns, kind);
  await dispatch();
  const [state, drop_reason] = address ? ["sent", null] : ["dropped", words];
  expect(row()).toMatchObject({ state, drop_reason, attempts: 1 });
  expect(received()).toMatchObject(address ? [{ to: [address], subject: expect.stringContaining(words) }] : []);
});

test("the links of an email work for thirty days from the sign-up, each for its purpose", async () => {
  const { dispatch, id, received, services } = await outboxOf(ON_TRIAL, "trial-started");
  vi.setSystemTime(NOW + DAY);
  await dispatch();
  const [, verify = "", notMe = ""] = /verify-email\/([\w-]+).*?not-me\/([\w-]+)/s.exec(received()[0]?.text) ?? [];
  const read = () => [services.links.read("verify-email", verify), services.links.read("not-me", notMe)];
  vi.setSystemTime(NOW + 30 * DAY - 1);
  expect(read()).toEqual([id, id]);
  vi.setSystemTime(NOW + 30 * DAY);
  expect(read()).toEqual([undefined, undefined]);
});

const end = new Date(NOW + 2 * DAY);
const REMINDER: Message = { ...MESSAGE, key: reminderKey("1", end), kind: "trial-ending", trial_end: iso(+end) };
const RUNNING: Billing = {
  ...{ isTrialing: true, isInvoiced: false, trialEnd: end, plan: "LITE", card: { brand: "visa", last4: "4242" } },
  trialEndOutcome: { next: "charge", first: null, later: null },
};
const NO_PLAN = { kind: "trial-started", stripe_subscription_id: null } as const;

test.each<[string, Partial<Message>, Partial<Billing> | null, object | string]>([
  ["describes the trial as Stripe has it", {}, {}, { end, plan: "LITE", card: RUNNING.card }],
  ["names the sign-up's plan if Stripe names none", {}, { plan: null }, { plan: "STANDARD" }],
  ["is dropped once the sign-up was reported", { end_reason: "not-me" }, {}, "sign-up-ended"],
  ["is dropped once the trial is over here", { status: "canceled" }, {}, "trial-over"],
  ["is dropped once the trial is over at Stripe", {}, { isTrialing: false }, "trial-over"],
  ["is dropped when its end has passed", {}, { trialEnd: new Date(NOW) }, "trial-over"],
  ["is dropped without an end", {}, { trialEnd: null }, "trial-over"],
  ["is dropped after an invoice", {}, { isInvoiced: true }, "invoiced"],
  ["is dropped if Stripe has no subscription", {}, null, "no-subscription"],
  ["is dropped if the end has moved", {}, { trialEnd: new Date(end.getTime() + 1) }, "another-end"],
  ["is dropped if the charge is unknown", {}, { trialEndOutcome: { next: "unknown" } }, "unknown-charge"],
  ["without a plan is about the promised end", NO_PLAN, {}, { end, plan: null, trialEndOutcome: { next: "no-plan" } }],
  ["without a plan is dropped when its end has passed", { ...NO_PLAN, trial_end: iso(NOW) }, {}, "trial-over"],
  ["without a customer has no card", { ...NO_PLAN, stripe_customer_id: null }, {}, { card: null }],
])("an email about a trial %s", async (_, message, billing, expected) => {
  const findBilling = async () => (billing === null ? undefined : { ...RUNNING, ...billing });
  const found = await trialOf({ ...REMINDER, ...message }, { findBilling, findCard: async () => RUNNING.card });
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});

const STRIPE_FAILS = new PaymentsError("unavailable");
const OUR_OWN = new RangeError("of ada@example.com");
const reason = "stripe-unavailable";
const KEPT = { attempts: 0, next_attempt_at: iso(NOW + LEASE_MS) };
const LEASED = { event: "message_unsettled", level: "error" };

test.each([
  ["waits because Stripe fails", STRIPE_FAILS, 0, { attempts: 1 }, { event: "message_failed", level: "warn", reason }],
  ["dies because Stripe fails", STRIPE_FAILS, 14, { state: "dead" }, { event: "message_dead", level: "error", reason }],
  ["keeps its lease for an error of our own", OUR_OWN, 0, KEPT, LEASED],
])("an email that cannot be composed %s", async (_, error, attempts, expected, line) => {
  const { services, dispatch, rows, row, logged } = await outboxOf(ON_TRIAL, "trial-started");
  rows("UPDATE outbox SET attempts = ?", attempts);
  await dispatch({ payments: { ...services.payments, findCard: () => Promise.reject(error) } });
  expect([row(), logged]).toMatchObject([expected, [line]]);
});

const WAITING = "attempts = 2, next_attempt_at =";
test.each([
  ["dead", "state = 'dead'", true, true],
  ["tried twice, waiting longer than a lease", `${WAITING} '${iso(NOW + LEASE_MS + 1)}'`, true, true],
  ["tried twice, perhaps being sent", `${WAITING} '${iso(NOW + LEASE_MS)}'`, true, false],
  ["tried twice and late", `${WAITING} '${iso(NOW - 5 * MINUTE - 1)}'`, true, false],
  ["tried once", `attempts = 1, next_attempt_at = '${iso(NOW)}'`, false, false],
  ["due for five minutes", `next_attempt_at = '${iso(NOW - 5 * MINUTE)}'`, false, false],
  ["due for longer", `next_attempt_at = '${iso(NOW - 5 * MINUTE - 1)}'`, true, false],
  ["sent", "state = 'sent', attempts = 2", false, false],
])("a message that is %s: is it listed for the operator, may it be sent again?", async (_, columns, listed, again) => {
  const { db, rows, row } = await outboxOf(ON_TRIAL, "card-used");
  rows(`UPDATE outbox SET ${columns}`);
  const before = row();
  expect(await stuckMessages(db, ["card-used"], 9)).toMatchObject(listed ? [{ key: "card-used" }] : []);
  expect(await stuckMessages(db, ["trial-ending"], 9)).toHaveLength(listed && !columns.startsWith("next") ? 1 : 0);
  expect([await sendAgain(db, "another"), await sendAgain(db, "card-used")]).toEqual([false, again]);
  expect(row()).toEqual(again ? { ...before, state: "due", attempts: 0, next_attempt_at: iso(NOW) } : before);
});
