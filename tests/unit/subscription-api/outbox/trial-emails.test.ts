import { JSDOM } from "jsdom";
import { describe, expect, test } from "vitest";
import { cardUsedEmail } from "../../../../functions/subscription-api/outbox/emails/card-used-email";
import {
  type Trial,
  trialEndingEmail,
  trialStartedEmail,
} from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import type { Amount } from "../../../../functions/subscription-api/stripe/billing";
import { SENDER } from "../../../support/api-in-process/sender";

const sender = { ...SENDER, customerPortalUrl: "https://billing.example/p/login" };
const facts = {
  full_name: "Ada",
  company_name: "Engines",
  email: "ada+1@example.com",
  package_id: "an-id",
  package_name: "STANDARD",
  signed_up_at: "2026-11-22T09:05:00.000Z",
};
const links = { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" };
const end = new Date("2026-11-27T14:30:00.000Z");
const fixed = (cents: number, tax: Amount["tax"] = 0) => ({ first: { cents, tax }, later: { cents, tax } });
const trial: Trial = {
  end,
  trialEndOutcome: { next: "charge", ...fixed(50_000) },
  card: { brand: "visa", last4: "4242" },
  plan: "LITE",
};

const started = (change: Partial<Trial> = {}, other = {}) =>
  trialStartedEmail({ ...facts, ...other }, { ...trial, ...change }, sender, links);

describe("the first email of a trial", () => {
  test("has the details that the card networks require, once, as text", () => {
    expect(started()).toMatchObject({ subject: "Your Citewell trial has started" });
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

  test("has the same details in HTML, and escapes names", () => {
    const { html, text } = started({}, { full_name: "<b>Ada</b>", company_name: 'A & "B"' });
    for (const fragment of [
      "<title>Your Citewell trial has started</title>",
      "Hello &lt;b&gt;Ada&lt;/b&gt;,</p>",
      "A &amp; &quot;B&quot;</td></tr>",
      'href="https://api.example/verify"',
      'href="https://api.example/not-me"',
      'href="mailto:support@example.com"',
      'prefilled_email=ada%2B1%40example.com"',
      '<th scope="row" ',
    ]) {
      expect(html).toContain(fragment);
    }
    const { document } = new JSDOM(html).window;
    const words = (text: string) => text.replace(/\s+/g, " ").trim();
    const read = words(document.querySelector(".card")?.textContent ?? "");
    for (const line of text.split("\n").slice(0, -2)) {
      // A link's address is not among the words.
      const [name = ""] = line.split(/: (?=http)/);
      for (const part of name.includes(": ") ? name.split(": ", 2) : [name]) expect(read).toContain(words(part));
    }
    expect(document.querySelectorAll("img, script, link")).toHaveLength(0);
    expect(document.querySelectorAll("th")).toHaveLength(7);
  });

  test.each<[string, Partial<Trial>, string, string[]]>([
    [
      "no card",
      { card: null },
      "We haven’t charged your card. Unless you cancel before then, we’ll charge $500.00 USD to your payment method on or after November 27, 2026 (UTC)",
      ["First payment: $500.00 USD, on or after November 27, 2026 (UTC)", "Then: the same amount every month"],
    ],
    [
      "a card of another brand",
      { card: { brand: "cartes_bancaires", last4: "0001" } },
      "to your card ending in 0001 on or after",
      ["Card: card ending in 0001"],
    ],
    [
      "a price that is not fixed",
      { trialEndOutcome: { next: "charge", first: null, later: null } },
      "Unless you cancel before then, we’ll charge the price of your plan",
      ["First payment: the price of your plan, on or after November 27, 2026 (UTC)"],
    ],
    [
      "a tax in the amount",
      { trialEndOutcome: { next: "charge", ...fixed(54_000, 4_000) } },
      "we’ll charge $540.00 USD including $40.00 USD tax to your Visa",
      [
        "First payment: $540.00 USD including $40.00 USD tax, on or after November 27, 2026 (UTC)",
        "Then: the same amount every month",
      ],
    ],
    [
      "an unknown tax",
      { trialEndOutcome: { next: "charge", ...fixed(50_000, "added") } },
      "we’ll charge $500.00 USD plus any tax to your Visa",
      ["First payment: $500.00 USD plus any tax, on or after November 27, 2026 (UTC)"],
    ],
    [
      "a credit",
      { trialEndOutcome: { next: "charge", ...fixed(50_000), first: { cents: 40_000, tax: 0 } } },
      "we’ll charge $400.00 USD to your Visa ending in 4242 on or after November 27, 2026 (UTC), and then $500.00 USD every month until you cancel.",
      ["First payment: $400.00 USD, on or after November 27, 2026 (UTC)", "Then: $500.00 USD every month"],
    ],
    [
      "a subscription that was canceled",
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
  ])("is accurate with %s [T3]", (_, change, sentence, details) => {
    const { text } = started(change);
    expect(text).toContain(sentence);
    const charge = change.trialEndOutcome === undefined || change.trialEndOutcome.next === "charge";
    expect(text.includes("We haven’t charged your card.")).toBe(charge);
    const lines = text.split("\n").filter((line) => /^(First payment|Then|Card): /.test(line));
    const rest = lines.filter((line) => !details.includes(line));
    for (const line of details) expect(lines).toContain(line);
    if (!charge || change.card === null) expect(rest).toEqual([]);
  });

  test("handles a plan that has not been chosen yet", () => {
    expect(started({ plan: null }).text).toContain("Plan: not chosen yet");
  });
});

test("the reminder names the end of the trial, the first charge and how to cancel", () => {
  const { subject, text } = trialEndingEmail(facts, trial, sender);
  expect(subject).toBe("Your Citewell trial ends on November 27, 2026 (UTC)");
  expect(text.split("\n\n").slice(0, 2)).toEqual([
    "Hello Ada,",
    expect.stringMatching(
      /^The free trial for Engines ends on November 27, 2026 \(UTC\)\. Unless you cancel before then, we’ll charge \$500\.00 USD to your Visa/,
    ),
  ]);
  expect(text).toContain("Trial ends: November 27, 2026, 14:30 UTC\nFirst payment: $500.00 USD");
  expect(text).toContain("Plan: LITE\n");
  expect(text).toContain("Open the customer console: https://console.example");
  expect(trialEndingEmail(facts, { ...trial, plan: null }, sender).text).toContain("Plan: not chosen yet");
});

describe("a typed name in an email", () => {
  test.each([
    ["Engines & Sons, Inc.", "Engines & Sons, Inc."],
    ["J. R. Smith: Tools", "J. R. Smith: Tools"],
    ["Studio 54, 3rd Floor, 101", "Studio 54, 3rd Floor, 101"],
    ["Booking.com", "Booking. com"],
    ["Your account at evil.example/login is locked", "Your account at evil. example/login is locked"],
    ["https://1.2.3.4:80/x", "https: //1. 2. 3. 4: 80/x"],
    ["tel:911 mailto:a@evil.example", "tel: 911 mailto: a@evil. example"],
    ["evil。example evil.\uFEFFexample", "evil。 example evil. \uFEFFexample"],
    ["Call +1 (800) 555-0199 now", "Call +1… now"],
    ["8005550199", "800…"],
    ["8\u2060005\u200B55·0199", "8…"],
    ["８００．５５５．０１９９", "８００…"],
    ["x".repeat(60), "x".repeat(60)],
    ["漢🙂".repeat(40), `${"漢🙂".repeat(29)}漢…`],
  ])("is shortened, and no part of it can become a link: %s [H4]", (typed, quoted) => {
    const sent = [
      started({}, { full_name: typed, company_name: typed }),
      trialEndingEmail({ ...facts, full_name: typed, company_name: typed }, trial, sender),
    ];
    for (const { text, html } of sent) {
      expect(text).toContain(`Hello ${quoted},\n\n`);
      expect(text).toContain(`The free trial for ${quoted} `);
      expect(text).toContain(`\n\nCompany: ${quoted}\n`);
      if (typed !== quoted) expect(html).not.toContain(typed);
    }
  });
});

test("the email after a used card links to the form of its plan, and quotes nothing the visitor typed [H4]", () => {
  const { subject, text, html } = cardUsedEmail(facts, sender, links.notMe);
  expect(subject).toBe("Your Citewell trial has not started");
  expect(text).toContain("has already been used for a free trial");
  expect(text).toContain("You weren’t charged");
  expect(text).toContain("Use another card: https://www.example/subscription/an-id");
  expect(text).toContain("contact our sales team: sales@example.com");
  expect(text).toContain("Plan: STANDARD\n");
  for (const form of [text, html]) {
    expect(form).toContain(links.notMe);
    expect(form).toContain("Wasn’t you?");
    expect(form).not.toMatch(/Ada|Engines/);
  }
  const planless = cardUsedEmail({ ...facts, package_id: null, package_name: null }, sender, links.notMe).text;
  expect(planless).toContain("Use another card: https://www.example/subscription\n");
  expect(planless).toContain("Plan: not chosen yet");
});
