import { JSDOM } from "jsdom";
import { expect, test } from "vitest";
import { company } from "../../../../app/company";
import * as emails from "../../../../functions/subscription-api/outbox/emails/other-emails";
import { trialStartedEmail } from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import { HELP, LINKS, MESSAGE, SENDER, TRIAL } from "./message";

const CUSTOMER_LINK = "Open the customer at Stripe: https://dashboard.stripe.com/customers/cus_1";

test.each([
  {
    what: "after a used card says why, and links to the form of its plan",
    email: emails.cardUsedEmail(MESSAGE, SENDER, LINKS.notMe),
    subject: `Your ${company.name} trial has not started`,
    paragraphs: [
      "Hello,",
      "Your trial hasn’t started: the card you entered has already been used for a free trial, and each card can be used for one.",
      "Use another card: https://www.example/subscription/an-id",
      "Plan: STANDARD",
      "You weren’t charged, and we removed the card.",
      `To subscribe without a trial, contact our sales team: ${company.salesEmail}`,
      "Wasn’t you? End the sign-up.\nThis wasn’t me: https://api.example/not-me",
      HELP,
      company.name,
    ],
  },
  {
    what: "after “This wasn’t me” has what support needs to find the customer and to decide",
    email: emails.notMeReportedEmail(MESSAGE, SENDER),
    subject: "“This wasn’t me”: sign-up 1",
    paragraphs: [
      "Hello support,",
      "A customer reported that someone else signed up. We’ve ended every subscription and removed every card. Because it was paid or its email address was confirmed, please decide about a refund and write to the customer.",
      CUSTOMER_LINK,
      "Sign-up: 1\nSubscription: sub_1\nPlan: STANDARD\nEmail address: not confirmed",
      company.name,
    ],
  },
  {
    what: "about a second subscription has what support needs to decide about a refund",
    email: emails.secondSubscriptionEmail(MESSAGE, SENDER),
    subject: "Second subscription ended: sign-up 1",
    paragraphs: [
      "Hello support,",
      "A customer had two subscriptions for one sign-up. We’ve ended the second one. Please check if it was paid, and decide about a refund.",
      CUSTOMER_LINK,
      "Sign-up: 1\nSubscription: sub_1\nSecond subscription: sub_2",
      company.name,
    ],
  },
])("the email $what, and quotes nothing that was typed", ({ email: { subject, text, html }, ...expected }) => {
  expect(subject).toBe(expected.subject);
  expect(text.split("\n\n")).toEqual(expected.paragraphs);
  expect(html).not.toMatch(new RegExp([MESSAGE.full_name, MESSAGE.company_name, MESSAGE.email].join("|"), "i"));
});

test("without a plan, a subscription or with a confirmed address these emails say so", () => {
  const withoutPlan = { ...MESSAGE, package_id: null, package_name: null };
  const { text } = emails.cardUsedEmail(withoutPlan, SENDER, LINKS.notMe);
  expect(text).toContain("Use another card: https://www.example/subscription\n\nPlan: not chosen yet\n");
  const change = { stripe_subscription_id: null, email_verified_at: "2026-11-22T09:05:00.000Z" };
  const reported = emails.notMeReportedEmail({ ...withoutPlan, ...change }, SENDER).text;
  expect(reported).toContain("Sign-up: 1\nSubscription: none\nPlan: not chosen yet\nEmail address: confirmed");
});

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();
const WITH_MARKUP = { ...MESSAGE, full_name: "<b>Ada</b>", company_name: '<b>Ada</b> & "Sons"' };

test.each([
  { to: "a customer", email: trialStartedEmail(WITH_MARKUP, TRIAL, SENDER, LINKS) },
  { to: "support", email: emails.notMeReportedEmail(WITH_MARKUP, SENDER) },
])("the HTML of an email to $to has the words and links of its text alone, and is accessible", ({ email }) => {
  const { document } = new JSDOM(email.html).window;
  /** The names, values, sentences and URLs of the text. */
  const parts = email.text.split("\n").flatMap((line) => line.split(": "));
  const words = oneLine(document.body.textContent ?? "");
  const missing = parts.filter((part) => !URL.canParse(part) && !words.includes(oneLine(part)));
  expect(missing, "parts of the text that the HTML lacks").toEqual([]);
  const urls = parts.filter((part) => URL.canParse(part)).map((url) => new URL(url).href);
  const links = [...document.links].map(({ href }) => href).filter((href) => !href.startsWith("mailto:"));
  expect(links.sort()).toEqual(urls.sort());

  expect(document.body.innerHTML, "typed text is no markup").not.toContain("<b>Ada");
  expect(document.querySelectorAll("img, script, style, link"), "it loads and runs nothing").toHaveLength(0);
  expect(document.documentElement.lang).toBe("en");
  const scopes = [...document.querySelectorAll("tr > :first-child")].map((cell) => cell.getAttribute("scope"));
  expect(new Set(scopes)).toEqual(new Set(["row"]));

  // Some mail programs drop the body's own style.
  const box = document.body.firstElementChild?.getAttribute("style");
  for (const rule of ["font:", "max-width:", "padding:", "overflow-wrap:anywhere", "word-break:break-word"])
    expect(box).toContain(rule);
  expect(document.body.children, "elements outside the box").toHaveLength(1);
});
