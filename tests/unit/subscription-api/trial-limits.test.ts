import { describe, expect, test } from "vitest";
import { mailboxOf } from "../../../functions/subscription-api/limits/mailbox";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { stopClock } from "../../support/api-in-process/clock";

const SETTINGS = { hashSecret: "a-secret", onePerPerson: true };

stopClock(Date.parse("2026-11-22T23:59:58.500Z"));

test.each([
  ["ada@example.com", "ada@example.com"],
  ["ada+trial@example.com", "ada@example.com"],
  ["ada+a+b@example.com", "ada@example.com"],
  ["+ada@example.com", "+ada@example.com"],
  ["a.d.a@example.com", "a.d.a@example.com"],
  ["a.d.a@gmail.com", "ada@gmail.com"],
  ["a.d.a+x@googlemail.com", "ada@gmail.com"],
  ['"a@b"@example.com', '"a@b"@example.com'],
])("%s belongs to the mailbox %s [H10]", (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});

describe("trial claims", () => {
  const { of, emailsOf } = trialClaims(SETTINGS);

  test("hash the mailbox, the card and the address as typed [H10]", () => {
    const plain = of("ada@example.com", "card-1");
    const tagged = of("ada+x@example.com", "card-1");
    expect(tagged.email).toBe(plain.email);
    expect(tagged.card).toBe(plain.card);
    expect(plain.emails).toEqual([plain.email]);
    expect(tagged.emails).toHaveLength(2);
    expect(tagged.emails[0]).toBe(plain.email);
    expect(tagged.emails).toEqual(emailsOf("ada+x@example.com"));
    expect(new Set([...tagged.emails, tagged.card, of("bob@example.com", "card-2").email]).size).toBe(4);
    expect(of("ada@example.com", "card-2").card).not.toBe(plain.card);
    expect(of("ada@example.com", null).card).toBeNull();
  });

  test("hash only the address if one person may have several trials [H10]", () => {
    const many = trialClaims({ ...SETTINGS, onePerPerson: false });
    const tagged = many.of("ada+x@example.com", "card-1");
    expect(tagged).toEqual({ email: tagged.email, emails: [tagged.email], card: null });
    // Found again after a change of the setting.
    expect(emailsOf("ada+x@example.com")).toContain(tagged.email);
    expect(many.of("ada@example.com", null).email).toBe(of("ada@example.com", null).email);
  });

  test("have keyed hashes", () => {
    expect(trialClaims({ ...SETTINGS, hashSecret: "another" }).of("ada@example.com", "card-1")).not.toMatchObject({
      email: of("ada@example.com", "card-1").email,
    });
  });
});
