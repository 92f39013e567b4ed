import { afterEach, expect, test, vi } from "vitest";
import { chargeSentence, usd, utcMinute } from "../../../app/contract/charge-wording";
import { trialEndOf } from "../../../app/contract/trial";
import { trialEndingEmail, trialStartedEmail } from "../../../functions/subscription-api/outbox/emails/trial-emails";
import { MESSAGE, SENDER } from "../api/outbox/message";

afterEach(() => void vi.unstubAllEnvs());

const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const begins = [
  ["2026-11-30T23:59:00.000Z", "December 5, 2026"],
  ["2026-12-31T23:59:00.000Z", "January 5, 2027"],
  ["2028-02-29T23:59:59.000Z", "March 5, 2028"],
] as const;
const zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];

const dues = zones.flatMap((zone) => begins.map(([began, day]) => [zone, began, day]));

test.each(dues)("in %s the trial of %s ends on the same day on page and in emails: %s", (zone, began, day) => {
  vi.stubEnv("TZ", zone);
  const end = trialEndOf(began);
  const cents = { cents: 123_456, tax: 0 };
  const trialEndOutcome = { next: "charge" as const, first: cents, later: cents };
  const trial = { end: new Date(end), trialEndOutcome, card: { brand: "visa", last4: "4242" }, plan: "STANDARD" };
  const [amount, chargeDay] = [usd(123_456), `on or after ${day} (UTC)`];
  const due = `Unless you cancel before then, we’ll charge $1,234.56 USD to your Visa ending in 4242 ${chargeDay}, and then`;
  const sentence = `${due} every month until you cancel.`;
  expect(chargeSentence(end, { amount, card: "Visa ending in 4242" })).toBe(sentence);
  const reduced = chargeSentence(end, { amount, later: usd(100), card: "Visa ending in 4242" });
  expect(reduced).toContain(`${due} $1.00 USD every month`);
  expect([end, "2026-12-31T00:05:00Z"].map(utcMinute)).toEqual([`${day}, 23:59 UTC`, "December 31, 2026, 00:05 UTC"]);
  for (const { text } of [trialStartedEmail(MESSAGE, trial, SENDER, links), trialEndingEmail(MESSAGE, trial, SENDER)])
    for (const words of [sentence, `First payment: ${amount}, ${chargeDay}`, `ends on ${day} (UTC)`])
      expect(text).toContain(words);
});
