import { expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { trialOf } from "../../../../functions/subscription-api/outbox/emails/trial-facts";
import {
  type DropReason,
  type Message,
  type MessageKind,
  reminderKey,
  SEND_LEASE_MS,
} from "../../../../functions/subscription-api/outbox/outbox";
import type { ChargePreview } from "../../../../functions/subscription-api/stripe/charge-preview";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { CHARGE } from "./message";
import { iso, ON_TRIAL, outboxOf } from "./outbox-of";

stopClock();

test("without a console emails are sent; account webhooks wait, and are sent as soon as there is one", async () => {
  const { dispatch, due, received } = await outboxOf(ON_TRIAL, "account-created", "account-closed", "trial-started");
  expect(await dispatch({ accountWebhook: undefined })).toBe(1);
  expect(due()).toEqual(["account-closed", "account-created"]);
  await dispatch();
  expect(due()).toEqual([]);
  expect(received().map(({ to }) => to)).toEqual(["emails", "webhook", "webhook"]);
});

const CUSTOMER = "ada@example.com";
const SUPPORT = company.supportEmail;
const ENDED = "status = 'ended', end_reason = 'cards-failed'";

test.each<{ kind: MessageKind; columns: string; to: string; subject: string }>([
  { kind: "trial-started", columns: ON_TRIAL, to: CUSTOMER, subject: "trial has started" },
  { kind: "trial-ending", columns: ON_TRIAL, to: CUSTOMER, subject: "trial ends on November 27, 2026 (UTC)" },
  { kind: "card-used", columns: "status = 'pending'", to: CUSTOMER, subject: "trial has not started" },
  { kind: "card-used", columns: ENDED, to: CUSTOMER, subject: "trial has not started" },
  { kind: "not-me-reported", columns: ON_TRIAL, to: SUPPORT, subject: "“This wasn’t me”: sign-up" },
  { kind: "second-subscription", columns: ON_TRIAL, to: SUPPORT, subject: "Second subscription ended: sign-up" },
])("the email $kind of a sign-up with $columns goes to $to, and is settled and logged", async (given) => {
  const { kind, subject } = given;
  const { add, id, dispatch, row, received, logged } = await outboxOf(given.columns);
  const key = kind === "trial-ending" ? reminderKey(id, new Date("2026-11-27T12:00:00.000Z")) : kind;
  add(kind, key);
  await dispatch();
  const [email] = received();
  expect(email?.headers.get("idempotency-key")).toBe(key);
  expect(JSON.parse(email?.body ?? "")).toMatchObject({ to: [given.to], subject: expect.stringContaining(subject) });
  expect(row()).toMatchObject({ state: "sent", drop_reason: null, attempts: 1, settled_at: iso(NOW) });
  expect(logged.at(-1)).toMatchObject({ level: "info", event: "message_sent", kind, signUpId: id, attempt: 1 });
});

test.each(["card_set_up", "trialing"])("a %s sign-up's email about a used card is dropped", async (status) => {
  const { dispatch, row, received, logged } = await outboxOf(`status = '${status}'`, "card-used");
  await dispatch();
  expect(received()).toEqual([]);
  expect(row()).toMatchObject({ state: "dropped", drop_reason: "trial-began", attempts: 1 });
  expect(logged).toMatchObject([{ level: "info", event: "message_dropped", reason: "trial-began" }]);
});

test("the links of an email work until thirty days after the sign-up, however late it is sent", async () => {
  const { dispatch, id, received, services } = await outboxOf(ON_TRIAL, "trial-started");
  vi.setSystemTime(NOW + DAY);
  await dispatch();
  for (const purpose of ["verify-email", "not-me"] as const)
    expect(received()[0]?.body).toContain(`: ${services.links.urlOf(purpose, id, new Date(NOW + 30 * DAY))}`);
});

test("while Stripe fails an email is due again, a warning; the fifteenth time it is dead, an error", async () => {
  const { services, dispatch, rows, row, logged } = await outboxOf(ON_TRIAL, "trial-started");
  const payments = { ...services.payments, findCard: () => Promise.reject(new PaymentsError("unavailable")) };
  await dispatch({ payments });
  expect(row()).toMatchObject({ state: "due", attempts: 1 });
  rows("UPDATE outbox SET attempts = 14, next_attempt_at = created_at");
  await dispatch({ payments });
  expect(row()).toMatchObject({ state: "dead", attempts: 15, settled_at: null });
  vi.setSystemTime(NOW + DAY);
  expect(await dispatch(), "sent a day later").toBe(0);
  expect(logged).toMatchObject([
    { level: "warn", event: "message_failed", reason: "stripe-unavailable", attempt: 1 },
    { level: "error", event: "message_dead", reason: "stripe-unavailable", attempt: 15 },
  ]);
});

test("after an error of our own an email is due when its lease ends, and a line says so", async () => {
  const { services, dispatch, row, logged } = await outboxOf(ON_TRIAL, "trial-started");
  const findCard = () => Promise.reject(new RangeError("of ada@example.com"));
  await dispatch({ payments: { ...services.payments, findCard } });
  expect(row()).toMatchObject({ state: "due", attempts: 0, next_attempt_at: iso(NOW + SEND_LEASE_MS) });
  expect(logged).toMatchObject([{ level: "error", event: "message_unsettled" }]);
});

const END = new Date(NOW + 2 * DAY);
const MOVED = NOW + 3 * DAY;
const MOVED_THERE = { trialEnd: new Date(MOVED) };
const CARD = { brand: "visa", last4: "4242" };
const FACTS = { end: END, plan: "LITE", card: CARD, trialEndOutcome: CHARGE };
const RUNNING: ChargePreview = { ...FACTS, isTrialing: true, isInvoiced: false, trialEnd: END };

type Known = { message?: Partial<Message>; preview?: Partial<ChargePreview> | null };

/** What is told in a reminder of a STANDARD plan's trial. */
async function factsOf({ message, preview = {} }: Known) {
  const columns = `status = 'trialing', stripe_subscription_id = 'sub_1', trial_end = '${END.toISOString()}'`;
  const { add, id, lease } = await outboxOf(columns);
  add("trial-ending", reminderKey(id, END));
  const previewCharge = async () => (preview === null ? undefined : { ...RUNNING, ...preview });
  const leased = await lease("trial-ending");
  return trialOf({ ...leased, package_name: "STANDARD", ...message }, { previewCharge, findCard: async () => CARD });
}

const WITHOUT_PLAN: Partial<Message> = { kind: "trial-started", stripe_subscription_id: null };

test("an email describes the trial as Stripe has it; without a plan, as it was promised, without a charge", async () => {
  expect(await factsOf({})).toEqual(FACTS);
  expect(await factsOf({ preview: { plan: null } })).toMatchObject({ plan: "STANDARD" });
  const facts = { end: END, plan: null, card: CARD, trialEndOutcome: { next: "no-plan" } };
  expect(await factsOf({ message: WITHOUT_PLAN })).toEqual(facts);
  expect(await factsOf({ message: { ...WITHOUT_PLAN, stripe_customer_id: null } })).toEqual({ ...facts, card: null });
});

test.each<Known & { when: string; reason: DropReason | "end-moved" }>([
  { when: "the address's owner has ended the sign-up", message: { end_reason: "not-me" }, reason: "sign-up-ended" },
  { when: "the trial is over here", message: { status: "canceled" }, reason: "trial-over" },
  { when: "the trial is over at Stripe", preview: { isTrialing: false }, reason: "trial-over" },
  { when: "its end has passed", preview: { trialEnd: new Date(NOW) }, reason: "trial-over" },
  { when: "its promised end has passed", message: { ...WITHOUT_PLAN, trial_end: iso(NOW) }, reason: "trial-over" },
  { when: "it has no end", preview: { trialEnd: null }, reason: "trial-over" },
  { when: "Stripe has made an invoice", preview: { isInvoiced: true }, reason: "invoiced" },
  { when: "Stripe has no subscription", preview: null, reason: "no-subscription" },
  { when: "the end has moved", message: { trial_end: iso(MOVED) }, preview: MOVED_THERE, reason: "another-end" },
  { when: "the end has moved, but not yet here", preview: MOVED_THERE, reason: "end-moved" },
  { when: "the charge is unknown", preview: { trialEndOutcome: { next: "unknown" } }, reason: "unknown-charge" },
])("the email is not sent if $when", async ({ reason, ...known }) => {
  expect(await factsOf(known)).toBe(reason);
});
