import { afterEach, expect, test } from "vitest";
import { chargeDay, chargeSentence, usd } from "../../../app/contract/charge-wording";
import { trialEndOf } from "../../../app/contract/trial";
import { trialEndingEmail, trialStartedEmail } from "../../../functions/subscription-api/outbox/emails/trial-emails";
import { MESSAGE } from "../../support/api-in-process/message";
import { SENDER } from "../../support/api-in-process/sender";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const begins = [
  ["2026-11-30T23:59:00.000Z", "December 5, 2026 (UTC)"],
  ["2026-12-31T23:59:00.000Z", "January 5, 2027 (UTC)"],
  ["2028-02-29T23:59:59.000Z", "March 5, 2028 (UTC)"],
] as const;

test.each(
  ["Pacific/Kiritimati", "Asia/Kolkata", "Pacific/Pago_Pago"].flatMap((tz) =>
    begins.map((one) => [tz, ...one] as const),
  ),
)("in %s a trial that begins at %s has the same day and amount on the page and in the emails: %s", (tz, began, day) => {
  process.env.TZ = tz;
  const end = new Date(trialEndOf(began));
  const amount = { cents: 50_000, tax: 0 };
  const trial = {
    end,
    trialEndOutcome: { next: "charge" as const, first: amount, later: amount },
    card: { brand: "visa", last4: "4242" },
    plan: "STANDARD",
  };
  const sentence = `we’ll charge $500.00 USD to your Visa ending in 4242 on or after ${day}, and then every month`;
  expect(chargeDay(end.toISOString())).toBe(`on or after ${day}`);
  expect(chargeSentence(end.toISOString(), { amount: usd(50_000), card: "Visa ending in 4242" })).toContain(sentence);
  for (const { text } of [trialStartedEmail(MESSAGE, trial, SENDER, links), trialEndingEmail(MESSAGE, trial, SENDER)]) {
    expect(text).toContain(sentence);
    expect(text).toContain(`First payment: $500.00 USD, on or after ${day}`);
    expect(text).toContain(`ends on ${day}`);
  }
});
