import { describe, expect, test } from "vitest";
import { company } from "../../../../app/company";
import { cardUsedEmail, notMeReportedEmail } from "../../../../functions/subscription-api/outbox/emails/other-emails";
import type { Message } from "../../../../functions/subscription-api/outbox/outbox";
import { EMAIL_MESSAGE, HELP, LINKS, PORTAL_LINK, SENDER } from "./message";

/* The words of the email after a used card, and of the email to support after “This wasn’t me”. */

const paragraphsOf = ({ text }: { text: string }) => text.split("\n\n");

describe("the email after a used card", () => {
  const email = (change: Partial<Message> = {}) => cardUsedEmail({ ...EMAIL_MESSAGE, ...change }, SENDER, LINKS.notMe);

  test("has a subject that says that the trial has not started", () => {
    expect(email().subject).toBe(`Your ${company.name} trial has not started`);
  });

  test("says why, and links to the form of its plan", () => {
    expect(paragraphsOf(email())).toEqual([
      "Hello,",
      "Your trial hasn’t started: the card you entered has already been used for a free trial, and each card can be used for one.",
      "Use another card: https://www.example/subscription/an-id",
      "Plan: STANDARD",
      "You weren’t charged, and we removed the card.",
      `To subscribe without a trial, contact our sales team: ${company.salesEmail}`,
      "Wasn’t you? End the sign-up.\nThis wasn’t me: https://api.example/not-me",
      PORTAL_LINK,
      HELP,
      company.name,
    ]);
  });

  test("links to the form without a plan if none is chosen", () => {
    const paragraphs = paragraphsOf(email({ package_id: null, package_name: null }));
    expect(paragraphs).toContain("Use another card: https://www.example/subscription");
    expect(paragraphs).toContain("Plan: not chosen yet");
  });

  test.each([
    { what: "name", typed: EMAIL_MESSAGE.full_name },
    { what: "company", typed: EMAIL_MESSAGE.company_name },
  ])("quotes no $what that the visitor typed", ({ typed }) => {
    const { html, text } = email();
    expect(html).not.toContain(typed);
    expect(text).not.toContain(typed);
  });
});

describe("the email to support after “This wasn’t me”", () => {
  const email = (change: Partial<Message> = {}) => notMeReportedEmail({ ...EMAIL_MESSAGE, ...change }, SENDER);

  test("has the sign-up's ID as its subject", () => {
    expect(email().subject).toBe("“This wasn’t me”: sign-up 1");
  });

  test("has what support needs to find the customer and to decide about a refund", () => {
    expect(paragraphsOf(email())).toEqual([
      "Hello support,",
      "A customer reported that someone else signed up. We’ve ended the subscription and removed the card. Because it was paid or its email address was confirmed, please decide about a refund and write to the customer.",
      "Open the customer at Stripe: https://dashboard.stripe.com/customers/cus_1",
      "Sign-up: 1\nSubscription: sub_1\nPlan: STANDARD\nEmail address: not confirmed",
      HELP,
      company.name,
    ]);
  });

  test("says so if the sign-up has no subscription and no plan", () => {
    expect(paragraphsOf(email({ stripe_subscription_id: null, package_name: null }))).toContain(
      "Sign-up: 1\nSubscription: none\nPlan: not chosen yet\nEmail address: not confirmed",
    );
  });

  test("says so if the address is confirmed", () => {
    expect(paragraphsOf(email({ email_verified_at: "2026-11-22T09:05:00.000Z" }))).toContain(
      "Sign-up: 1\nSubscription: sub_1\nPlan: STANDARD\nEmail address: confirmed",
    );
  });

  test.each([
    { what: "name", personal: EMAIL_MESSAGE.full_name },
    { what: "company", personal: EMAIL_MESSAGE.company_name },
    { what: "email address", personal: EMAIL_MESSAGE.email },
  ])("does not have the customer's $what", ({ personal }) => {
    const { html, text } = email();
    expect(html).not.toContain(personal);
    expect(text).not.toContain(personal);
  });
});
