import { JSDOM } from "jsdom";
import { expect, test } from "vitest";
import { TRIAL_SCOPE } from "../../../app/contract/trial";
import { cardUsedEmail, notMeReportedEmail } from "../../../functions/subscription-api/outbox/emails/other-emails";
import {
  type Trial,
  trialEndingEmail,
  trialStartedEmail,
} from "../../../functions/subscription-api/outbox/emails/trial-emails";
import type { Amount } from "../../../functions/subscription-api/stripe/billing";
import { MESSAGE, SENDER } from "../../support/api-in-process/message";

const sender = { ...SENDER, customerPortalUrl: "https://billing.example/p/login" };
const facts = { ...MESSAGE, email: "ada+1@example.com" };
const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const end = new Date("2026-11-27T14:30:00.000Z");
const fixed = (cents: number, tax: Amount["tax"] = 0) => ({ first: { cents, tax }, later: { cents, tax } });
const trial: Trial = {
  ...{ end, card: { brand: "visa", last4: "4242" }, plan: "LITE" },
  trialEndOutcome: { next: "charge", ...fixed(50_000) },
};

const started = (change: Partial<Trial> = {}, other = {}) =>
  trialStartedEmail({ ...facts, ...other }, { ...trial, ...change }, sender, links);

test("the first email of a trial says what the card networks require, what the trial is, and asks to confirm the address", () => {
  expect(started().subject).toBe("Your Citewell trial has started");
  expect(TRIAL_SCOPE).toBe(
    "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
  );
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
    TRIAL_SCOPE,
    "We haven’t charged your card. Unless you cancel before then, we’ll charge $500.00 USD to your Visa ending in 4242 on or after November 27, 2026 (UTC), and then every month until you cancel.",
    "To start, log in with ada+1@example.com and the password you chose.\nOpen the customer console: https://console.example",
    "If you didn’t sign up, end the trial and remove the card.\nThis wasn’t me: https://api.example/not-me",
    expect.stringMatching(
      /open the customer portal.*\nManage or cancel your subscription: https:\/\/billing\.example\/p\/login\?prefilled_email=ada%2B1%40example\.com$/,
    ),
    "Questions? Reply to this email or write to support@example.com.",
    "Citewell",
  ]);
});

const words = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();

test.each([
  ["trial started", started({}, { full_name: "<b>Ada</b>", company_name: 'A & "B"' })],
  ["trial ending", trialEndingEmail({ ...facts, full_name: "<b>Ada</b>" }, trial, sender)],
  ["card used", cardUsedEmail(facts, sender, links.notMe)],
  ["not me", notMeReportedEmail(facts, sender)],
])("the HTML of the email %s has the words and links of its text, and typed text is no markup", (_, { html, text }) => {
  const { document } = new JSDOM(html).window;
  const read = words(document.body.textContent);
  for (const line of text.split("\n")) {
    const [name = "", url] = line.split(/: (?=http)/);
    const parts = /^[\w\s-]+: /.test(name) ? name.split(/: (.*)/s) : [name];
    for (const part of parts) expect(read).toContain(words(part));
    if (url) expect([...document.links].map(({ href }) => href)).toContain(new URL(url).href);
  }
  expect(document.querySelectorAll("img, script, style, link")).toHaveLength(0);
  expect(document.body.innerHTML).not.toContain("<b>Ada");
  expect(document.documentElement.lang).toBe("en");
  for (const cell of document.querySelectorAll("tr > :first-child")) expect(cell.getAttribute("scope")).toBe("row");
});

const ON = "on or after November 27, 2026 (UTC)";

test.each<[string, Partial<Trial>, string, string[]]>([
  [
    "no card",
    { card: null },
    `we’ll charge $500.00 USD to your payment method ${ON}`,
    [`First payment: $500.00 USD, ${ON}`, "Then: the same amount every month"],
  ],
  [
    "a card of another brand",
    { card: { brand: "cartes_bancaires", last4: "0001" } },
    "to your card ending in 0001 on or after",
    [`First payment: $500.00 USD, ${ON}`, "Then: the same amount every month", "Card: card ending in 0001"],
  ],
  [
    "a price that is not fixed",
    { trialEndOutcome: { next: "charge", first: null, later: null }, card: null },
    "Unless you cancel before then, we’ll charge the price of your plan",
    [`First payment: the price of your plan, ${ON}`, "Then: the same amount every month"],
  ],
  [
    "a tax in the amount",
    { trialEndOutcome: { next: "charge", ...fixed(54_000, 4_000) }, card: null },
    "we’ll charge $540.00 USD including $40.00 USD tax to your",
    [`First payment: $540.00 USD including $40.00 USD tax, ${ON}`, "Then: the same amount every month"],
  ],
  [
    "an unknown tax",
    { trialEndOutcome: { next: "charge", ...fixed(50_000, "added") }, card: null },
    "we’ll charge $500.00 USD plus any tax to your",
    [`First payment: $500.00 USD plus any tax, ${ON}`, "Then: the same amount every month"],
  ],
  [
    "a discount of the first month",
    { trialEndOutcome: { next: "charge", ...fixed(50_000), first: { cents: 40_000, tax: 0 } }, card: null },
    `we’ll charge $400.00 USD to your payment method ${ON}, and then $500.00 USD every month until you cancel.`,
    [`First payment: $400.00 USD, ${ON}`, "Then: $500.00 USD every month"],
  ],
  [
    "a canceled subscription",
    { trialEndOutcome: { next: "end", why: "canceled", at: new Date("2026-11-25T00:00:00Z") } },
    "You’ve canceled your subscription. It ends on November 25, 2026 (UTC), and you won’t be charged.",
    ["First payment: none", "Card: Visa ending in 4242"],
  ],
  [
    "a subscription without a card",
    { trialEndOutcome: { next: "end", why: "no-card", at: end }, card: null },
    "Your subscription has no card. It ends on November 27, 2026 (UTC), and you won’t be charged.",
    ["First payment: none"],
  ],
  [
    "no plan",
    { trialEndOutcome: { next: "no-plan" } },
    "You haven’t chosen a plan yet, so you won’t be charged.",
    ["First payment: none", "Card: Visa ending in 4242"],
  ],
  [
    "an unknown outcome",
    { trialEndOutcome: { next: "unknown" } },
    "The customer portal shows your next charge and its date.",
    ["Card: Visa ending in 4242"],
  ],
])("both emails about a trial are true with %s", (_, change, sentence, details) => {
  const isCharged = change.trialEndOutcome === undefined || change.trialEndOutcome.next === "charge";
  for (const { text } of [started(change), trialEndingEmail(facts, { ...trial, ...change }, sender)]) {
    expect(text).toContain(sentence);
    expect(text.split("\n").filter((line) => /^(First payment|Then|Card): /.test(line))).toEqual(details);
  }
  expect(started(change).text.includes("We haven’t charged your card.")).toBe(isCharged);
});

test("the reminder names the end of the trial, the first charge and how to cancel", () => {
  const { subject, text } = trialEndingEmail(facts, { ...trial, plan: null }, sender);
  expect(subject).toBe("Your Citewell trial ends on November 27, 2026 (UTC)");
  expect(text).toContain("\n\nThe free trial for Engines ends on November 27, 2026 (UTC). Unless you cancel");
  expect(text).toContain("Plan: not chosen yet\nTrial ends: November 27, 2026, 14:30 UTC\nFirst payment: $500.00 USD");
  expect(text).toContain("prefilled_email=ada%2B1%40example.com");
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
  expect(subject).toBe("Your Citewell trial has not started");
  expect(text).toContain("Use another card: https://www.example/subscription/an-id");
  expect(text).toContain("Plan: STANDARD\n");
  for (const sentence of [
    "already been used for a free trial",
    "You weren’t charged",
    "sales@example.com",
    links.notMe,
  ])
    expect(text).toContain(sentence);
  expect(text + html).not.toMatch(/Ada|Engines/);
  const planless = cardUsedEmail({ ...facts, package_id: null, package_name: null }, sender, links.notMe).text;
  expect(planless).toContain("Use another card: https://www.example/subscription\n");
  expect(planless).toContain("Plan: not chosen yet");
});

test("the email to support after “This wasn’t me” has what support needs to find the customer, and no personal data", () => {
  const { text, html } = notMeReportedEmail({ ...facts, email_verified_at: "2026-11-22T09:05:00.000Z" }, sender);
  for (const fact of ["Sign-up: 1", "Subscription: sub_1", "customers/cus_1", "Email address: confirmed"])
    expect(text).toContain(fact);
  expect(text + html).not.toMatch(/Ada|Engines|ada\+1/);
  expect(notMeReportedEmail({ ...facts, stripe_subscription_id: null }, sender).text).toContain("Subscription: none");
});
