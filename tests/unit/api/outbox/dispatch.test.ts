import { expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { type MessageKind, SEND_LEASE_MS } from "../../../../functions/subscription-api/outbox/outbox";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { iso, ON_TRIAL, outboxOf } from "./outbox-of";

/* Sending messages: their receivers, the reasons to drop one, and the state after a failure. */

stopClock();

test("without a console emails are sent, and account webhooks wait", async () => {
  const { dispatch, due } = await outboxOf(ON_TRIAL, "account-created", "account-closed", "trial-started");
  expect(await dispatch({ accountWebhook: undefined })).toBe(1);
  expect(due()).toEqual(["account-closed", "account-created"]);
});

test("account webhooks that have waited are sent to the console as soon as there is one", async () => {
  const { dispatch, due, received } = await outboxOf(ON_TRIAL, "account-created", "account-closed");
  await dispatch({ accountWebhook: undefined });
  await dispatch();
  expect(due()).toEqual([]);
  expect(received().map(({ place }) => place)).toEqual(["webhook", "webhook"]);
});

test.each<{ order: MessageKind[] }>([
  { order: ["account-created", "account-closed"] },
  { order: ["account-closed", "account-created"] },
  { order: ["account-created", "email-verified", "account-closed"] },
  { order: ["account-closed", "email-verified", "account-created"] },
  { order: ["email-verified", "account-closed", "account-created"] },
])(
  "a closed account's webhooks, delivered in the order $order, have later and later timestamps, and each says that it is closed",
  async ({ order }) => {
    const closed = "status = 'canceled', end_reason = 'not-me'";
    const { dispatch, add, received } = await outboxOf(closed);
    for (const [at, kind] of order.entries()) {
      add(kind, kind, NOW + at * DAY);
      vi.setSystemTime(NOW + at * DAY);
      await dispatch();
    }
    const told = received().map(({ timestamp, data }) => [timestamp, data.status, data.end_reason]);
    expect(told).toEqual(order.map((_, at) => [iso(NOW + at * DAY), "canceled", "not-me"]));
  },
);

const USED = `Your ${company.name} trial has not started`;
const ENDED = "status = 'ended', end_reason = 'cards-failed'";

test.each<{ kind: MessageKind; columns: string; to: string; subject: string }>([
  {
    kind: "trial-started",
    columns: ON_TRIAL,
    to: "ada@example.com",
    subject: `Your ${company.name} trial has started`,
  },
  { kind: "not-me-reported", columns: ON_TRIAL, to: company.supportEmail, subject: "“This wasn’t me”: sign-up" },
  { kind: "card-used", columns: "status = 'pending'", to: "ada@example.com", subject: USED },
  { kind: "card-used", columns: ENDED, to: "ada@example.com", subject: USED },
])("the email $kind of a sign-up with $columns is sent to $to", async ({ kind, columns, to, subject }) => {
  const { dispatch, row, received } = await outboxOf(columns, kind);
  await dispatch();
  expect(received()).toMatchObject([{ to: [to], subject: expect.stringContaining(subject) }]);
  expect(row()).toMatchObject({ state: "sent", drop_reason: null, attempts: 1 });
});

test.each([{ status: "card_set_up" }, { status: "trialing" }, { status: "canceled" }])(
  "the email about a used card is dropped once its sign-up is $status",
  async ({ status }) => {
    const { dispatch, row, received } = await outboxOf(`status = '${status}'`, "card-used");
    await dispatch();
    expect(received()).toEqual([]);
    expect(row()).toMatchObject({ state: "dropped", drop_reason: "trial-began", attempts: 1 });
  },
);

test.each([
  { after: 30 * DAY - 1, work: true },
  { after: 30 * DAY, work: false },
])("the links of an email work for thirty days from the sign-up: $work after $after ms", async ({ after, work }) => {
  const { dispatch, id, received, services } = await outboxOf(ON_TRIAL, "trial-started");
  vi.setSystemTime(NOW + DAY);
  await dispatch();
  const text = String(received()[0]?.text);
  const tokenOf = (path: string) => new RegExp(`${path}/([\\w-]+)`).exec(text)?.[1] ?? "";
  vi.setSystemTime(NOW + after);
  expect(services.links.read("verify-email", tokenOf("verify-email"))).toBe(work ? id : undefined);
  expect(services.links.read("not-me", tokenOf("not-me"))).toBe(work ? id : undefined);
});

/** An email about a trial for which Stripe has been asked in vain so often. */
async function emailThatFails(error: Error, attempts = 0) {
  const { services, dispatch, rows, row, logged } = await outboxOf(ON_TRIAL, "trial-started");
  rows("UPDATE outbox SET attempts = ?", attempts);
  await dispatch({ payments: { ...services.payments, findCard: () => Promise.reject(error) } });
  return { row: row(), line: logged.at(-1) };
}

test("an email waits while Stripe fails, with a warning", async () => {
  const { row, line } = await emailThatFails(new PaymentsError("unavailable"));
  expect(row).toMatchObject({ state: "due", attempts: 1 });
  expect(line).toMatchObject({ event: "message_failed", level: "warn", reason: "stripe-unavailable" });
});

test("an email for which Stripe failed fifteen times is dead, with an error", async () => {
  const { row, line } = await emailThatFails(new PaymentsError("unavailable"), 14);
  expect(row).toMatchObject({ state: "dead" });
  expect(line).toMatchObject({ event: "message_dead", level: "error", reason: "stripe-unavailable" });
});

test("after an error of our own an email is due again when its lease ends", async () => {
  const { row, line } = await emailThatFails(new RangeError("of ada@example.com"));
  expect(row).toMatchObject({ state: "due", attempts: 0, next_attempt_at: iso(NOW + SEND_LEASE_MS) });
  expect(line).toMatchObject({ event: "message_unsettled", level: "error" });
});
