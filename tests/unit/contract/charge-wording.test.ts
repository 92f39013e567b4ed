import { afterEach, describe, expect, test, vi } from "vitest";
import { chargeSentence } from "../../../app/contract/charge-wording";
import { utcMinute } from "../../../app/contract/dates";
import { chargedAmount } from "../../../app/contract/money";
import { MESSAGE, SENDER } from "../api/outbox/message";

/* The end of a trial and its first charge, in the same words on pages and in emails. */

afterEach(() => void vi.unstubAllEnvs());

const CARD = "Visa ending in 4242";

test("a minute is shown in UTC on a 24-hour clock", () => {
  expect(utcMinute("2026-12-31T00:05:00Z")).toBe("December 31, 2026, 00:05 UTC");
});

test("a charge is described with its amount, card and day, and as the same every month", () => {
  expect(chargeSentence("2026-12-05T23:59:00.000Z", { amount: chargedAmount(123_456), card: CARD })).toBe(
    "Unless you cancel before then, we’ll charge $1,234.56 USD to your Visa ending in 4242 on or after " +
      "December 5, 2026 (UTC), and then every month until you cancel.",
  );
});

test("a first charge with another amount is described with the later one", () => {
  const sentence = chargeSentence("2026-12-05T23:59:00.000Z", {
    amount: chargedAmount(123_456),
    later: chargedAmount(100),
    card: CARD,
  });
  expect(sentence).toContain("on or after December 5, 2026 (UTC), and then $1.00 USD every month");
});

describe.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])("in the time zone %s", (timeZone) => {
  /** The same modules, loaded where it is another day. */
  async function wordingThere() {
    vi.stubEnv("TZ", timeZone);
    vi.resetModules();
    const wording = await import("../../../app/contract/charge-wording");
    const dates = await import("../../../app/contract/dates");
    return {
      ...wording,
      ...dates,
      ...(await import("../../../functions/subscription-api/outbox/emails/trial-emails")),
    };
  }

  test.each([
    { end: "2026-12-05T23:59:00.000Z", ends: "December 5, 2026" },
    { end: "2027-01-05T23:59:00.000Z", ends: "January 5, 2027" },
    { end: "2028-03-05T23:59:59.000Z", ends: "March 5, 2028" },
  ])("a trial that ends at $end ends on the same day on the page and in both emails", async ({ end, ends }) => {
    const there = await wordingThere();
    const sentence = there.chargeSentence(end, { amount: chargedAmount(123_456), card: CARD });
    expect(sentence).toContain(`on or after ${ends} (UTC)`);
    expect(there.utcMinute(end)).toBe(`${ends}, 23:59 UTC`);

    const charge = { cents: 123_456, tax: 0 };
    const trial = {
      end: new Date(end),
      trialEndOutcome: { next: "charge" as const, first: charge, later: charge },
      card: { brand: "visa", last4: "4242" },
      plan: "STANDARD",
    };
    const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
    for (const email of [
      there.trialStartedEmail(MESSAGE, trial, SENDER, links),
      there.trialEndingEmail(MESSAGE, trial, SENDER),
    ]) {
      expect(email.text).toContain(sentence);
      expect(email.text).toContain(`First payment: $1,234.56 USD, on or after ${ends} (UTC)`);
      expect(email.text).toContain(`ends on ${ends} (UTC)`);
    }
  });
});
