import { afterEach, expect, test, vi } from "vitest";
import { MONTHLY } from "../../../app/contract/charge-wording";
import { chargedAmount } from "../../../app/contract/money";
import { CHARGE, LINKS, MESSAGE, SENDER, TRIAL } from "../api/outbox/message";

/* The end of a trial and its first charge, in the same words on pages and in emails. */

afterEach(() => void vi.unstubAllEnvs());

/** The modules, loaded where it is another day than in UTC. */
async function wordingIn(timeZone: string) {
  vi.stubEnv("TZ", timeZone);
  vi.resetModules();
  return {
    ...(await import("../../../app/contract/charge-wording")),
    ...(await import("../../../app/contract/dates")),
    ...(await import("../../../functions/subscription-api/outbox/emails/trial-emails")),
  };
}

test.each([
  { timeZone: "Pacific/Kiritimati", end: "2026-12-31T23:59:59.000Z", ends: "December 31, 2026", minute: "23:59" },
  { timeZone: "Pacific/Pago_Pago", end: "2028-03-01T00:05:00.000Z", ends: "March 1, 2028", minute: "00:05" },
])("a trial that ends at $end ends on the same day on the page and in both emails in $timeZone", async (row) => {
  const { timeZone, end, ends, minute } = row;
  const there = await wordingIn(timeZone);
  expect(there.utcMinute(end)).toBe(`${ends}, ${minute} UTC`);
  const charge = { amount: chargedAmount(123_456), card: "Visa ending in 4242" };
  const first = `Unless you cancel before your trial ends, we’ll charge $1,234.56 USD to your Visa ending in 4242 on or after ${ends} (UTC)`;
  const sentence = `${first}, and then every month until you cancel.`;
  expect(there.chargeSentence(end, { ...charge, after: MONTHLY })).toBe(sentence);
  expect(there.chargeSentence(end, { ...charge, after: undefined })).toBe(`${first}.`);

  const same = { cents: 123_456, tax: 0 };
  const trial = { ...TRIAL, end: new Date(end), trialEndOutcome: { ...CHARGE, first: same, later: same } };
  const started = there.trialStartedEmail(MESSAGE, trial, SENDER, LINKS);
  for (const { text } of [started, there.trialEndingEmail(MESSAGE, trial, SENDER)]) {
    expect(text).toContain(sentence);
    expect(text).toContain(`First payment: $1,234.56 USD, on or after ${ends} (UTC)`);
    expect(text).toContain(`ends on ${ends} (UTC)`);
  }
});
