import { expect, test } from "vitest";
import { company } from "../../../../app/company";
import { counted } from "../../../../app/contract/counted";
import { TRIAL_SCOPE } from "../../../../app/contract/trial";
import type { Trial } from "../../../../functions/subscription-api/outbox/emails/charge-words";
import { trialEndingEmail, trialStartedEmail } from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import { CHARGE, HELP, LINKS, MESSAGE, SENDER, TRIAL } from "./message";

const PORTAL =
  "To cancel, to change your card or to see your invoices, open the customer portal. It’s run by Stripe, our payment provider. Enter your email address there, and Stripe sends you a link to log in.\nManage or cancel your subscription: https://billing.example/p/login";
const DAY = "on or after November 27, 2026 (UTC)";
const CHARGED = `we’ll charge $500.00 USD to your Visa ending in 4242 ${DAY}, and then every month until you cancel.`;
const FIRST_LINE = `First payment: $500.00 USD, ${DAY}`;
const THEN_LINE = "Then: the same amount every month";
const CARD_LINE = "Card: Visa ending in 4242";
const PAYMENT_LINES = [FIRST_LINE, THEN_LINE, CARD_LINE];

test("the start email says what card networks require, and asks to confirm the address", () => {
  const { subject, text } = trialStartedEmail(MESSAGE, TRIAL, SENDER, LINKS);
  expect(subject).toBe(`Your ${company.name} trial has started`);
  expect(text.split("\n\n")).toEqual([
    "Hello Ada,",
    "The free trial for Engines has started and ends on November 27, 2026 (UTC). Next, confirm your email address.",
    "Confirm my email address: https://api.example/verify",
    [
      "Company: Engines",
      "Plan: LITE",
      `Free trial: ${counted(MESSAGE.trial_days, "day")}, until November 27, 2026, 14:30 UTC`,
      ...PAYMENT_LINES,
      "You agreed to this: on November 22, 2026, 09:05 UTC, with our terms: https://www.example/terms",
    ].join("\n"),
    TRIAL_SCOPE,
    `We haven’t charged your card. Unless you cancel before your trial ends, ${CHARGED}`,
    "To start, log in with ada+1@example.com and the password you chose.\nOpen the customer console: https://console.example",
    "If you didn’t sign up, end the trial and remove the card.\nThis wasn’t me: https://api.example/not-me",
    PORTAL,
    HELP,
    company.name,
  ]);
});

test("the reminder says when the trial ends, what is charged then, and how to cancel", () => {
  const { subject, text } = trialEndingEmail(MESSAGE, TRIAL, SENDER);
  expect(subject).toBe(`Your ${company.name} trial ends on November 27, 2026 (UTC)`);
  expect(text.split("\n\n")).toEqual([
    "Hello Ada,",
    `The free trial for Engines ends on November 27, 2026 (UTC). Unless you cancel before your trial ends, ${CHARGED}`,
    "Open the customer console: https://console.example",
    ["Company: Engines", "Plan: LITE", "Trial ends: November 27, 2026, 14:30 UTC", ...PAYMENT_LINES].join("\n"),
    PORTAL,
    HELP,
    company.name,
  ]);
});

const NOTHING = { cents: 0, tax: 0 };
const PLUS_TAX = { cents: 50_000, tax: "added" } as const;
const NO_FIRST = "Nothing is due on November 27, 2026 (UTC), so we won’t charge your Visa ending in 4242 then.";
const NO_FIRST_LINE = `First payment: nothing, ${DAY}`;
const NO_PAYMENT = ["First payment: none", CARD_LINE];
const inMarch = new Date("2027-03-01T14:30:00.000Z");
const on25th = new Date("2026-11-25T00:00:00Z");

test.each<{ what: string; outcome: Trial["trialEndOutcome"]; card?: Trial["card"]; says: string; lines: string[] }>([
  {
    what: "a lower first payment with tax, a discount that may end, and an American Express card",
    outcome: { ...CHARGE, first: { cents: 40_000, tax: 3_000 }, later: null, isReduced: true },
    card: { brand: "amex", last4: "0001" },
    says: `we’ll charge $400.00 USD including $30.00 USD tax to your American Express ending in 0001 ${DAY}, and then the price of your plan less any credit or discount every month until you cancel.`,
    lines: [
      `First payment: $400.00 USD including $30.00 USD tax, ${DAY}`,
      "Then: the price of your plan less any credit or discount every month",
      "Card: American Express ending in 0001",
    ],
  },
  {
    what: "a price by the quarter to which Stripe adds tax, a fixed end, and a card of an unknown brand",
    outcome: { ...CHARGE, first: PLUS_TAX, later: PLUS_TAX, every: "3 months", endsAt: inMarch },
    card: { brand: "cartes_bancaires", last4: "0001" },
    says: `we’ll charge $500.00 USD plus any tax to your card ending in 0001 ${DAY}, and then every 3 months. Your subscription ends on March 1, 2027 (UTC).`,
    lines: [
      `First payment: $500.00 USD plus any tax, ${DAY}`,
      "Then: the same amount every 3 months",
      "Subscription ends: March 1, 2027 (UTC)",
      "Card: card ending in 0001",
    ],
  },
  {
    what: "an unknown amount and interval, and no card",
    outcome: { ...CHARGE, first: null, later: null, every: null },
    card: null,
    says: `we’ll charge the price of your plan to your payment method ${DAY}.`,
    lines: [`First payment: the price of your plan, ${DAY}`],
  },
  {
    what: "a first payment of zero",
    outcome: { ...CHARGE, first: NOTHING },
    says: `${NO_FIRST} After that, we’ll charge $500.00 USD every month until you cancel.`,
    lines: [NO_FIRST_LINE, "Then: $500.00 USD every month", CARD_LINE],
  },
  {
    what: "payments of zero",
    outcome: { ...CHARGE, first: NOTHING, later: NOTHING },
    says: `${NO_FIRST}\n`,
    lines: [NO_FIRST_LINE, CARD_LINE],
  },
  {
    what: "a canceled subscription",
    outcome: { next: "end", why: "canceled", at: on25th },
    says: "You’ve canceled your subscription. It ends on November 25, 2026 (UTC), and you won’t be charged. If you change your mind, renew it in the customer portal before then.",
    lines: NO_PAYMENT,
  },
  {
    what: "a subscription without a card",
    outcome: { next: "end", why: "no-card", at: on25th },
    says: "Your subscription has no card. It ends on November 25, 2026 (UTC), and you won’t be charged. To keep it, add a card in the customer portal before then.",
    lines: NO_PAYMENT,
  },
  {
    what: "no plan",
    outcome: { next: "no-plan" },
    says: "You haven’t chosen a plan yet, so you won’t be charged. Reply to this email to choose one before the trial ends.",
    lines: NO_PAYMENT,
  },
  {
    what: "an unknown charge",
    outcome: { next: "unknown" },
    says: "The customer portal shows your next charge and its date.",
    lines: [CARD_LINE],
  },
])("both emails say what comes next, in a sentence and in their details: $what", ({ outcome, card, says, lines }) => {
  const trial = { ...TRIAL, trialEndOutcome: outcome, plan: null, ...(card !== undefined && { card }) };
  const start = trialStartedEmail(MESSAGE, trial, SENDER, LINKS).text;
  expect(start.includes("We haven’t charged your card. "), "of a charge to come").toBe(outcome.next === "charge");
  for (const text of [start, trialEndingEmail(MESSAGE, trial, SENDER).text]) {
    expect(text).toContain(says);
    const payment = /^(First payment|Then|Subscription ends|Card): /;
    expect(text.split("\n").filter((line) => payment.test(line))).toEqual(lines);
    expect(text).toContain("\nPlan: not chosen yet\n");
  }
});

test.each<{ rule: string; typed: string; quoted?: string }>([
  { rule: "initials, a colon and a company's form stay", typed: "J. R. Smith: Tools, Inc." },
  { rule: "a URL is parted", typed: "https://1.2.3.4:80/x", quoted: "https: //1. 2. 3. 4: 80/x" },
  { rule: "an ideographic full stop is a dot", typed: "evil。example", quoted: "evil。 example" },
  { rule: "an invisible space is no space", typed: "evil.\uFEFFexample", quoted: "evil. \uFEFFexample" },
  { rule: "seven digits are a phone number", typed: "Call 555-0199 now", quoted: "Call 5… now" },
  { rule: "six digits are none", typed: "Call 555-019 now" },
  { rule: "wide digits with invisible spaces are one", typed: "８００\u2060５５５．０１９９", quoted: "８００…" },
  { rule: "60 characters stay", typed: "x".repeat(60) },
  { rule: "80 characters are cut to 60", typed: "漢🙂".repeat(40), quoted: `${"漢🙂".repeat(29)}漢…` },
])("both emails make no link of a typed name: $rule", ({ typed, quoted = typed }) => {
  const message = { ...MESSAGE, full_name: typed, company_name: typed };
  const started = trialStartedEmail(message, TRIAL, SENDER, LINKS);
  for (const { text, html } of [started, trialEndingEmail(message, TRIAL, SENDER)]) {
    expect(text).toContain(`Hello ${quoted},\n\nThe free trial for ${quoted} `);
    expect(text).toContain(`\nCompany: ${quoted}\n`);
    if (typed !== quoted) expect(html).not.toContain(typed);
  }
});
