import { JSDOM } from "jsdom";
import { expect, test } from "vitest";
import { company } from "../../../../app/company";
import { cardUsedEmail, notMeReportedEmail } from "../../../../functions/subscription-api/outbox/emails/other-emails";
import { trialEndingEmail, trialStartedEmail } from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import type { Amount } from "../../../../functions/subscription-api/stripe/billing";
import { MESSAGE, SENDER } from "./message";

type Trial = Parameters<typeof trialEndingEmail>[1];

const sender = { ...SENDER, customerPortalUrl: "https://billing.example/p/login" };
const facts = { ...MESSAGE, email: "ada+1@example.com" };
const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const PORTAL =
  "Manage or cancel your subscription: https://billing.example/p/login?prefilled_email=ada%2B1%40example.com";
const HELP = `Questions? Reply to this email or write to ${company.supportEmail}.`;
const end = new Date("2026-11-27T14:30:00.000Z");
const trial: Trial = {
  ...{ end, card: { brand: "visa", last4: "4242" }, plan: "LITE" },
  trialEndOutcome: { next: "charge", first: { cents: 50_000, tax: 0 }, later: { cents: 50_000, tax: 0 } },
};

const started = (change: Partial<Trial> = {}, other = {}) =>
  trialStartedEmail({ ...facts, ...other }, { ...trial, ...change }, sender, links);

test("the first email of a trial says what the card networks require, what the trial is, and asks to confirm the address", () => {
  expect(started().subject).toBe(`Your ${company.name} trial has started`);
  expect(started().text.split("\n\n")).toEqual([
    "Hello Ada,",
    "The free trial for Engines has started and ends on November 27, 2026 (UTC). Next, confirm your email address.",
    "Confirm my email address: https://api.example/verify",
    [
      "Company: Engines",
      "Plan: LITE",
      "Free trial: 5 days, until November 27, 2026, 14:30 UTC",
      "First payment: $500.00 USD, on or after November 27, 2026 (UTC)",
      "Then: the same amount every month",
      "Card: Visa ending in 4242",
      "You agreed to this: on November 22, 2026, 09:05 UTC, with our terms: https://www.example/terms",
    ].join("\n"),
    "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
    "We haven’t charged your card. Unless you cancel before then, we’ll charge $500.00 USD to your Visa ending in 4242 on or after November 27, 2026 (UTC), and then every month until you cancel.",
    "To start, log in with ada+1@example.com and the password you chose.\nOpen the customer console: https://console.example",
    "If you didn’t sign up, end the trial and remove the card.\nThis wasn’t me: https://api.example/not-me",
    expect.stringMatching(/^To cancel, to change your card or to see your invoices, open the customer portal\./),
    ...[HELP, company.name],
  ]);
});

const MARKUP = { full_name: "<b>Ada</b>", company_name: '<b>Ada</b> & "Sons"' };
const words = (text: string) => text.replace(/\s+/g, " ").trim();

test.each([
  ["trial started", started({}, MARKUP)],
  ["trial ending", trialEndingEmail({ ...facts, ...MARKUP }, trial, sender)],
  ["card used", cardUsedEmail(facts, sender, links.notMe)],
  ["not me", notMeReportedEmail(facts, sender)],
])("the HTML of the email %s has the words and links of its text, and typed text is no markup", (_, { html, text }) => {
  const { document } = new JSDOM(html).window;
  const read = words(document.body.textContent ?? "");
  const urls = [...document.links].map(({ href }) => href);
  for (const part of text.split(/\n+|: /)) {
    if (URL.canParse(part)) expect(urls).toContain(new URL(part).href);
    else expect(read).toContain(words(part));
  }
  expect(document.querySelectorAll("img, script, style, link")).toHaveLength(0);
  expect(document.body.innerHTML).not.toContain("<b>Ada");
  expect(document.documentElement.lang).toBe("en");
  for (const cell of document.querySelectorAll("tr > :first-child")) expect(cell.getAttribute("scope")).toBe("row");
});

const ON = "on or after November 27, 2026 (UTC)";
const SAME = "the same amount every month";
const cents = (number: number, tax: Amount["tax"] = 0): Amount => ({ cents: number, tax });
const fixed = cents(50_000);

/** Both emails of a trial say this about its first charge, in a sentence and in these details. */
function expectBothToSay(sentence: string, details: string[], change: Partial<Trial>) {
  for (const { text } of [started(change), trialEndingEmail(facts, { ...trial, ...change }, sender)]) {
    expect(text).toContain(sentence);
    expect(text.split("\n").filter((line) => /^(First payment|Then|Card): /.test(line))).toEqual(details);
    if (!sentence.includes("we’ll charge")) expect(text).not.toContain("We haven’t charged your card.");
  }
}

test.each<[first: Amount | null, later: Amount | null, brand: string, card: string, words: string, then: string]>([
  [fixed, fixed, "amex", "American Express ending in 0001", "$500.00 USD", SAME],
  [fixed, fixed, "cartes_bancaires", "card ending in 0001", "$500.00 USD", SAME],
  [null, null, "", "payment method", "the price of your plan", SAME],
  [cents(54_000, 4_000), cents(54_000, 4_000), "", "payment method", "$540.00 USD including $40.00 USD tax", SAME],
  [cents(50_000, "added"), cents(50_000, "added"), "", "payment method", "$500.00 USD plus any tax", SAME],
  [cents(40_000), fixed, "", "payment method", "$400.00 USD", "$500.00 USD every month"],
])("both emails say how much is charged: %j, then %j, from %s", (first, later, brand, name, words, then) => {
  const card = brand === "" ? null : { brand, last4: "0001" };
  const afterwards = then === SAME ? "every month" : then;
  const sentence = `we’ll charge ${words} to your ${name} ${ON}, and then ${afterwards} until you cancel.`;
  const details = [`First payment: ${words}, ${ON}`, `Then: ${then}`, ...(card ? [`Card: ${name}`] : [])];
  expectBothToSay(sentence, details, { trialEndOutcome: { next: "charge", first, later }, card });
});

const NONE = ["First payment: none"];
const ENDS = "It ends on November 25, 2026 (UTC), and you won’t be charged.";
const end25th = (why: "canceled" | "no-card"): Trial["trialEndOutcome"] => {
  return { next: "end", why, at: new Date("2026-11-25T00:00:00Z") };
};
test.each<[Trial["trialEndOutcome"], sentence: string, payment: string[]]>([
  [end25th("canceled"), `You’ve canceled your subscription. ${ENDS}`, NONE],
  [end25th("no-card"), `Your subscription has no card. ${ENDS}`, NONE],
  [{ next: "no-plan" }, "You haven’t chosen a plan yet, so you won’t be charged.", NONE],
  [{ next: "unknown" }, "The customer portal shows your next charge and its date.", []],
])("both emails are true where nothing is charged: %j", (trialEndOutcome, sentence, payment) => {
  expectBothToSay(sentence, [...payment, "Card: Visa ending in 4242"], { trialEndOutcome });
});

test("the reminder names the end of the trial and the first charge; both emails say how to cancel", () => {
  const { subject, text } = trialEndingEmail(facts, { ...trial, plan: null }, sender);
  expect(subject).toBe(`Your ${company.name} trial ends on November 27, 2026 (UTC)`);
  expect(text).toContain("\n\nThe free trial for Engines ends on November 27, 2026 (UTC). Unless you cancel");
  expect(text).toContain("Plan: not chosen yet\nTrial ends: November 27, 2026, 14:30 UTC\nFirst payment: $500.00 USD");
  expect([started().text, text]).toEqual([expect.stringContaining(PORTAL), expect.stringContaining(PORTAL)]);
});

test.each([
  ["Engines & Sons, Inc.", "Engines & Sons, Inc."],
  ["J. R. Smith: Tools", "J. R. Smith: Tools"],
  ["Booking.com", "Booking. com"],
  ["Your account at evil.example/login is locked", "Your account at evil. example/login is locked"],
  ["https://1.2.3.4:80/x", "https: //1. 2. 3. 4: 80/x"],
  ["evil。example evil.\uFEFFexample", "evil。 example evil. \uFEFFexample"],
  ["Call +1 (800) 555-0199 now", "Call +1… now"],
  ["8\u2060005\u200B55·0199", "8…"],
  ["８００．５５５．０１９９", "８００…"],
  ["x".repeat(60), "x".repeat(60)],
  ["漢🙂".repeat(40), `${"漢🙂".repeat(29)}漢…`],
])("a typed name in an email is short, and no part of it can become a link: %s", (typed, quoted) => {
  const names = { full_name: typed, company_name: typed };
  for (const { text, html } of [started({}, names), trialEndingEmail({ ...facts, ...names }, trial, sender)]) {
    expect(text).toContain(`Hello ${quoted},\n\nThe free trial for ${quoted} `);
    expect(text).toContain(`\n\nCompany: ${quoted}\n`);
    if (typed !== quoted) expect(html).not.toContain(typed);
  }
});

test("the email after a used card leads to the form of its plan, and quotes nothing that the visitor typed", () => {
  const { subject, text, html } = cardUsedEmail(facts, sender, links.notMe);
  expect(subject).toBe(`Your ${company.name} trial has not started`);
  expect(text.split("\n\n")).toEqual([
    "Hello,",
    "Your trial hasn’t started: the card you entered has already been used for a free trial, and each card can be used for one.",
    "Use another card: https://www.example/subscription/an-id",
    "Plan: STANDARD",
    "You weren’t charged, and we removed the card.",
    `To subscribe without a trial, contact our sales team: ${company.salesEmail}`,
    "Wasn’t you? End the sign-up.\nThis wasn’t me: https://api.example/not-me",
    ...[PORTAL, HELP, company.name],
  ]);
  expect(html).not.toMatch(/Ada|Engines/);
  const planless = cardUsedEmail({ ...facts, package_id: null, package_name: null }, sender, links.notMe).text;
  expect(planless).toContain("Use another card: https://www.example/subscription\n\nPlan: not chosen yet");
});

test("the email to support after “This wasn’t me” has what support needs to find the customer, and no personal data", () => {
  const { subject, text, html } = notMeReportedEmail(facts, sender);
  expect(subject).toBe("“This wasn’t me”: sign-up 1");
  expect(text.split("\n\n")).toEqual([
    "Hello support,",
    expect.stringMatching(/^A customer reported .* decide about a refund and write to the customer\.$/),
    "Open the customer at Stripe: https://dashboard.stripe.com/customers/cus_1",
    "Sign-up: 1\nSubscription: sub_1\nPlan: STANDARD\nEmail address: not confirmed",
    ...[HELP, company.name],
  ]);
  expect(html).not.toMatch(/Ada|Engines|ada\+1/);
  const none = { stripe_subscription_id: null, package_name: null, email_verified_at: "2026-11-22T09:05:00.000Z" };
  const other = notMeReportedEmail({ ...facts, ...none }, sender).text;
  expect(other).toContain("Subscription: none\nPlan: not chosen yet\nEmail address: confirmed\n");
});
