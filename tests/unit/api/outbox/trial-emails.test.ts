import { describe, expect, test } from "vitest";
import { company } from "../../../../app/company";
import { counted } from "../../../../app/contract/counted";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import {
  type Trial,
  trialEndingEmail,
  trialStartedEmail,
} from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import type { Message } from "../../../../functions/subscription-api/outbox/outbox";
import { EMAIL_MESSAGE, HELP, LINKS, PORTAL_LINK, SENDER, TRIAL } from "./message";

/* The words of the two emails about a trial. */

type Given = { trial?: Partial<Trial>; message?: Partial<Message> };

const startEmail = ({ trial, message }: Given = {}) =>
  trialStartedEmail({ ...EMAIL_MESSAGE, ...message }, { ...TRIAL, ...trial }, SENDER, LINKS);
const reminder = ({ trial, message }: Given = {}) =>
  trialEndingEmail({ ...EMAIL_MESSAGE, ...message }, { ...TRIAL, ...trial }, SENDER);

const EMAILS = [
  { email: "start email", write: startEmail },
  { email: "reminder", write: reminder },
];

const paragraphsOf = ({ text }: { text: string }) => text.split("\n\n");

const PORTAL = `To cancel, to change your card or to see your invoices, open the customer portal. It’s run by Stripe, our payment provider. Enter your email address there, and Stripe sends you a link to log in.\n${PORTAL_LINK}`;

test("the subject of the start email says that the trial has started", () => {
  expect(startEmail().subject).toBe(`Your ${company.name} trial has started`);
});

test("the start email says what the card networks require, what the trial is, and asks to confirm the address", () => {
  expect(paragraphsOf(startEmail())).toEqual([
    "Hello Ada,",
    "The free trial for Engines has started and ends on November 27, 2026 (UTC). Next, confirm your email address.",
    "Confirm my email address: https://api.example/verify",
    [
      "Company: Engines",
      "Plan: LITE",
      `Free trial: ${counted(TRIAL_DAYS, "day")}, until November 27, 2026, 14:30 UTC`,
      "First payment: $500.00 USD, on or after November 27, 2026 (UTC)",
      "Then: the same amount every month",
      "Card: Visa ending in 4242",
      "You agreed to this: on November 22, 2026, 09:05 UTC, with our terms: https://www.example/terms",
    ].join("\n"),
    "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
    "We haven’t charged your card. Unless you cancel before then, we’ll charge $500.00 USD to your Visa ending in 4242 on or after November 27, 2026 (UTC), and then every month until you cancel.",
    "To start, log in with ada+1@example.com and the password you chose.\nOpen the customer console: https://console.example",
    "If you didn’t sign up, end the trial and remove the card.\nThis wasn’t me: https://api.example/not-me",
    PORTAL,
    HELP,
    company.name,
  ]);
});

test("the subject of the reminder names the end of the trial", () => {
  expect(reminder().subject).toBe(`Your ${company.name} trial ends on November 27, 2026 (UTC)`);
});

test("the reminder says when the trial ends, what is charged then, and how to cancel", () => {
  expect(paragraphsOf(reminder())).toEqual([
    "Hello Ada,",
    "The free trial for Engines ends on November 27, 2026 (UTC). Unless you cancel before then, we’ll charge $500.00 USD to your Visa ending in 4242 on or after November 27, 2026 (UTC), and then every month until you cancel.",
    "Open the customer console: https://console.example",
    [
      "Company: Engines",
      "Plan: LITE",
      "Trial ends: November 27, 2026, 14:30 UTC",
      "First payment: $500.00 USD, on or after November 27, 2026 (UTC)",
      "Then: the same amount every month",
      "Card: Visa ending in 4242",
    ].join("\n"),
    PORTAL,
    HELP,
    company.name,
  ]);
});

describe.each(EMAILS)("the $email", ({ write }) => {
  /** The lines about the payment: First payment, Then and Card. */
  function paymentOf(text: string) {
    const details = text.split("\n").map((line) => line.split(": ", 2));
    return Object.fromEntries(details.filter(([name = ""]) => ["First payment", "Then", "Card"].includes(name)));
  }

  const FIXED = { cents: 50_000, tax: 0 };
  const DAY = "on or after November 27, 2026 (UTC)";
  const SAME = "the same amount every month";

  type Charge = { what: string; trial: Partial<Trial>; sentence: string; payment: Record<string, string> };
  const CHARGES: Charge[] = [
    {
      what: "an American Express card",
      trial: { card: { brand: "amex", last4: "0001" } },
      sentence: `we’ll charge $500.00 USD to your American Express ending in 0001 ${DAY}, and then every month until you cancel.`,
      payment: { "First payment": `$500.00 USD, ${DAY}`, Then: SAME, Card: "American Express ending in 0001" },
    },
    {
      what: "a card of a brand that it does not know",
      trial: { card: { brand: "cartes_bancaires", last4: "0001" } },
      sentence: `we’ll charge $500.00 USD to your card ending in 0001 ${DAY}, and then every month until you cancel.`,
      payment: { "First payment": `$500.00 USD, ${DAY}`, Then: SAME, Card: "card ending in 0001" },
    },
    {
      what: "an amount that Stripe does not tell, and no card",
      trial: { card: null, trialEndOutcome: { next: "charge", first: null, later: null } },
      sentence: `we’ll charge the price of your plan to your payment method ${DAY}, and then every month until you cancel.`,
      payment: { "First payment": `the price of your plan, ${DAY}`, Then: SAME },
    },
    {
      what: "an amount with tax",
      trial: {
        trialEndOutcome: {
          next: "charge",
          first: { cents: 54_000, tax: 4_000 },
          later: { cents: 54_000, tax: 4_000 },
        },
      },
      sentence: `we’ll charge $540.00 USD including $40.00 USD tax to your Visa ending in 4242 ${DAY}, and then every month until you cancel.`,
      payment: {
        "First payment": `$540.00 USD including $40.00 USD tax, ${DAY}`,
        Then: SAME,
        Card: "Visa ending in 4242",
      },
    },
    {
      what: "an amount to which Stripe adds tax",
      trial: {
        trialEndOutcome: {
          next: "charge",
          first: { cents: 50_000, tax: "added" },
          later: { cents: 50_000, tax: "added" },
        },
      },
      sentence: `we’ll charge $500.00 USD plus any tax to your Visa ending in 4242 ${DAY}, and then every month until you cancel.`,
      payment: { "First payment": `$500.00 USD plus any tax, ${DAY}`, Then: SAME, Card: "Visa ending in 4242" },
    },
    {
      what: "a lower first payment",
      trial: { trialEndOutcome: { next: "charge", first: { cents: 40_000, tax: 0 }, later: FIXED } },
      sentence: `we’ll charge $400.00 USD to your Visa ending in 4242 ${DAY}, and then $500.00 USD every month until you cancel.`,
      payment: {
        "First payment": `$400.00 USD, ${DAY}`,
        Then: "$500.00 USD every month",
        Card: "Visa ending in 4242",
      },
    },
  ];

  test.each(CHARGES)("says how much is charged in a sentence: $what", ({ trial, sentence }) => {
    expect(write({ trial }).text).toContain(sentence);
  });

  test.each(CHARGES)("says how much is charged in its details: $what", ({ trial, payment }) => {
    expect(paymentOf(write({ trial }).text)).toEqual(payment);
  });

  const on25th = new Date("2026-11-25T00:00:00Z");
  const CARD = "Visa ending in 4242";
  type NoCharge = { what: string; outcome: Trial["trialEndOutcome"]; sentence: string; payment: object };
  const NO_CHARGES: NoCharge[] = [
    {
      what: "the subscription is canceled",
      outcome: { next: "end", why: "canceled", at: on25th },
      sentence:
        "You’ve canceled your subscription. It ends on November 25, 2026 (UTC), and you won’t be charged. If you change your mind, renew it in the customer portal before then.",
      payment: { "First payment": "none", Card: CARD },
    },
    {
      what: "the subscription has no card",
      outcome: { next: "end", why: "no-card", at: on25th },
      sentence:
        "Your subscription has no card. It ends on November 25, 2026 (UTC), and you won’t be charged. To keep it, add a card in the customer portal before then.",
      payment: { "First payment": "none", Card: CARD },
    },
    {
      what: "no plan is chosen",
      outcome: { next: "no-plan" },
      sentence:
        "You haven’t chosen a plan yet, so you won’t be charged. Reply to this email to choose one before the trial ends.",
      payment: { "First payment": "none", Card: CARD },
    },
    {
      what: "the next charge is unknown",
      outcome: { next: "unknown" },
      sentence: "The customer portal shows your next charge and its date.",
      payment: { Card: CARD },
    },
  ];

  test.each(NO_CHARGES)("says what comes next if $what", ({ outcome, sentence }) => {
    expect(write({ trial: { trialEndOutcome: outcome } }).text).toContain(sentence);
  });

  test.each(NO_CHARGES)("has no payment in its details if $what", ({ outcome, payment }) => {
    expect(paymentOf(write({ trial: { trialEndOutcome: outcome } }).text)).toEqual(payment);
  });

  test.each(NO_CHARGES)("does not say that the card has not been charged yet if $what", ({ outcome }) => {
    expect(write({ trial: { trialEndOutcome: outcome } }).text).not.toContain("We haven’t charged your card.");
  });

  test("says that no plan is chosen yet", () => {
    expect(write({ trial: { plan: null } }).text.split("\n")).toContain("Plan: not chosen yet");
  });

  type TypedName = { rule: string; typed: string; quoted: string };
  const TYPED_NAMES: TypedName[] = [
    { rule: "a company's form stays", typed: "Engines & Sons, Inc.", quoted: "Engines & Sons, Inc." },
    { rule: "initials and a colon stay", typed: "J. R. Smith: Tools", quoted: "J. R. Smith: Tools" },
    { rule: "a domain is parted", typed: "Booking.com", quoted: "Booking. com" },
    {
      rule: "a domain within a sentence is parted",
      typed: "Your account at evil.example/login is locked",
      quoted: "Your account at evil. example/login is locked",
    },
    { rule: "a URL is parted", typed: "https://1.2.3.4:80/x", quoted: "https: //1. 2. 3. 4: 80/x" },
    {
      rule: "an ideographic full stop is a dot, and an invisible space is no space",
      typed: "evil。example evil.\uFEFFexample",
      quoted: "evil。 example evil. \uFEFFexample",
    },
    { rule: "a phone number is cut", typed: "Call +1 (800) 555-0199 now", quoted: "Call +1… now" },
    { rule: "seven digits are a phone number", typed: "Call 555-0199 now", quoted: "Call 5… now" },
    { rule: "six digits are none", typed: "Call 555-019 now", quoted: "Call 555-019 now" },
    { rule: "a phone number with invisible spaces is cut", typed: "8\u2060005\u200B55·0199", quoted: "8…" },
    { rule: "a phone number in wide digits is cut", typed: "８００．５５５．０１９９", quoted: "８００…" },
    { rule: "60 characters stay", typed: "x".repeat(60), quoted: "x".repeat(60) },
    { rule: "80 characters are cut to 60", typed: "漢🙂".repeat(40), quoted: `${"漢🙂".repeat(29)}漢…` },
  ];

  test.each(TYPED_NAMES)("makes no link of a typed name: $rule", ({ typed, quoted }) => {
    const { text } = write({ message: { full_name: typed, company_name: typed } });
    expect(text).toContain(`Hello ${quoted},\n\nThe free trial for ${quoted} `);
  });

  test.each(TYPED_NAMES)("makes no link of a typed company in its details: $rule", ({ typed, quoted }) => {
    const { text } = write({ message: { company_name: typed } });
    expect(text.split("\n").find((line) => line.startsWith("Company: "))).toBe(`Company: ${quoted}`);
  });

  const CHANGED_NAMES = TYPED_NAMES.filter(({ typed, quoted }) => typed !== quoted);
  test.each(CHANGED_NAMES)("has no typed name unchanged in its HTML: $rule", ({ typed }) => {
    expect(write({ message: { full_name: typed, company_name: typed } }).html).not.toContain(typed);
  });
});
