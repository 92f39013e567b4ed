import { expect, test } from "vitest";
import { dispatchMessages } from "../../../../functions/subscription-api/outbox/dispatch";
import type { EmailContent } from "../../../../functions/subscription-api/outbox/emails/email";
import { reportNotMe } from "../../../../functions/subscription-api/sign-ups/ending/report-not-me";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { type Answer, refusal } from "../../../support/api-in-process/stripe-model";

/** A sign-up whose owner has disowned it, after these charges; its messages are sent as often as wanted. */
async function reported(charges: number, settings = {}) {
  const world = signUpsInProcess({ settings });
  const { services, model, rows, logged, find } = world;
  const trial = await world.onTrial();
  await dispatchMessages(services);
  for (let charge = 0; charge < charges; charge += 1)
    for (const subscription of model.all("subscription")) {
      subscription.status = "trialing";
      model.become(subscription, "active");
    }
  await reportNotMe(await find(trial.id), services);
  const emails: EmailContent[] = [];
  const mail: typeof services.mail = {
    ...services.mail,
    async send(_key, to, content) {
      expect(to).toBe(trial.email);
      emails.push(content);
      return { status: "sent" };
    },
  };
  const state = () => rows("SELECT state, drop_reason FROM outbox WHERE kind = 'charge-reported'");
  return {
    ...world,
    emails,
    state,
    told: () => logged.filter(({ event }) => event === "charge_reported"),
    refunds: () => model.all("refund").length,
    async send() {
      rows("UPDATE outbox SET state = 'due', next_attempt_at = '' WHERE kind = 'charge-reported'");
      for (let run = 0; run < 3; run += 1) await dispatchMessages({ ...services, mail });
      return state();
    },
  };
}

const SENT = [{ state: "sent", drop_reason: null }];

test(`charges of a sign-up reported with "Wasn't you?" are refunded once each, and operator and owner are told [H4] [T10]`, async () => {
  const { send, instead, refunds, emails, told } = await reported(2);
  instead.set("POST refunds", refusal(500, "api_error"));
  expect(await send()).toEqual([{ state: "due", drop_reason: null }]);
  expect([refunds(), emails]).toEqual([0, []]);
  instead.clear();
  expect(await send()).toEqual(SENT);
  expect(await send()).toEqual(SENT);
  expect(refunds()).toBe(2);
  const [first] = emails;
  expect(first?.subject).toBe("Your Citewell payment is refunded");
  expect(first?.text).toContain("We’ve ended the subscription and refunded $200.00 USD to the card.");
  expect(emails.map(({ text }) => text)).toEqual([first?.text, first?.text]);
  expect(told()[0]).toMatchObject({ on: "error", charged_cents: 20_000, refunded_cents: 20_000 });
});

test.each<[string, object, Answer | undefined]>([
  ["the setting says so", { REFUND_REPORTED: "false" }, undefined],
  ["its bank has taken it back", {}, refusal(400, "charge_disputed")],
])("a charge is left to the support team if %s, and the email says so [T10]", async (_, settings, answered) => {
  const { send, instead, refunds, emails, told } = await reported(1, settings);
  if (answered) instead.set("POST refunds", answered);
  expect(await send()).toEqual(SENT);
  expect(refunds()).toBe(0);
  expect(emails[0]?.text).toContain("Our support team will look at the payment of $100.00 USD and write to you.");
  expect(emails[0]?.text).toContain("Refunded: $0.00 USD");
  expect(told()).toMatchObject([{ charged_cents: 10_000, refunded_cents: 0 }]);
});

test("without a charge nobody gets an email, and without a subscription Stripe is not queried [T10]", async () => {
  const { send, emails, told } = await reported(0);
  expect(await send()).toEqual([{ state: "dropped", drop_reason: "not-charged" }]);
  expect([emails, told()]).toEqual([[], []]);
  const { services, onTrial, change, rows } = signUpsInProcess();
  const planless = await change((await onTrial()).id, "package_id = NULL, stripe_subscription_id = NULL");
  await reportNotMe(planless, services);
  expect(rows("SELECT 1 FROM outbox WHERE kind = 'charge-reported'")).toEqual([]);
});
