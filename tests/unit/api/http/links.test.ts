import { describe, expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import type { LinkPurpose } from "../../../../functions/subscription-api/signed-links";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { CONFIRMED, ENDED, headingsOf, onTrial } from "./opened-links";

/* The pages behind the links in emails. They confirm an address, or end a sign-up that someone else began. */

stopClock();

describe("a link that confirms the address", () => {
  test("confirms it when its button is pressed", async () => {
    const { linkTo, open, signUp } = await onTrial();
    const page = await open(linkTo("verify-email"), "POST");
    expect(page.heading).toBe(CONFIRMED);
    expect(signUp()).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
  });

  test("notifies the console once, however often its button is pressed", async () => {
    const { linkTo, open, messages } = await onTrial();
    await open(linkTo("verify-email"), "POST");
    const second = await open(linkTo("verify-email"), "POST");
    expect(second.heading).toBe(CONFIRMED);
    expect(messages("email-verified")).toEqual([{ state: "sent" }]);
  });

  test("has no button once the address is confirmed", async () => {
    const { linkTo, open } = await onTrial();
    await open(linkTo("verify-email"), "POST");
    const page = await open(linkTo("verify-email"));
    expect(page.heading).toBe(CONFIRMED);
    expect(page.document.querySelector("form")).toBeNull();
  });

  test("confirms nothing once the sign-up has ended", async () => {
    const { linkTo, open, signUp } = await onTrial();
    await open(linkTo("not-me"), "POST");
    const page = await open(linkTo("verify-email"), "POST");
    expect(page.heading).toBe(ENDED);
    expect(signUp()).toMatchObject({ email_verified_at: null });
  });
});

describe("“This wasn’t me”", () => {
  test("ends the sign-up when its button is pressed", async () => {
    const { linkTo, open, signUp } = await onTrial();
    const page = await open(linkTo("not-me"), "POST");
    expect(page.heading).toBe(ENDED);
    expect(signUp()).toMatchObject({ status: "canceled", end_reason: "not-me" });
  });

  test("notifies the console once, however often its button is pressed", async () => {
    const { linkTo, open, messages } = await onTrial();
    await open(linkTo("not-me"), "POST");
    const second = await open(linkTo("not-me"), "POST");
    expect(second.heading).toBe(ENDED);
    expect(messages("account-closed")).toEqual([{ state: "sent" }]);
  });

  test("does not ask again once the sign-up has ended", async () => {
    const { linkTo, open } = await onTrial();
    await open(linkTo("not-me"), "POST");
    const page = await open(linkTo("not-me"));
    expect(page.heading).toBe(ENDED);
    expect(page.document.querySelector("form")).toBeNull();
  });

  test("says to try again while Stripe fails, and ends nothing", async () => {
    const { linkTo, open, signUp, model } = await onTrial();
    vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
    const page = await open(linkTo("not-me"), "POST");
    expect(page).toHaveStatus(503);
    expect(page.heading).toBe("Something went wrong");
    expect(signUp()).toMatchObject({ end_reason: null });
  });

  test("is logged as Stripe's failure alone while Stripe fails", async () => {
    const { linkTo, open, logged, model } = await onTrial();
    vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
    await open(linkTo("not-me"), "POST");
    const lines = logged.filter(({ level }) => level !== "info").map(({ event }) => event);
    expect([...new Set(lines)]).toEqual(["stripe_failed"]);
  });

  test("ends the sign-up at the next press after Stripe failed", async () => {
    const { linkTo, open, model } = await onTrial();
    const stripe = vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
    await open(linkTo("not-me"), "POST");
    stripe.mockRestore();
    const page = await open(linkTo("not-me"), "POST");
    expect(page.heading).toBe(ENDED);
  });
});

describe("a report", () => {
  const CHARGED = "If the card was charged, our support team will look at the charge and write to you.";
  const FREE = "You can use your email address to sign up at any time.";
  const trialIsOver = "UPDATE sign_ups SET trial_end = '2020-01-01T00:00:00.000Z'";
  const trialIsHad = `${trialIsOver}, email_verified_at = '2020-01-01T00:00:00.000Z'`;

  test.each(["GET", "POST"])("during the trial is not about a charge (%s)", async (method) => {
    const { linkTo, open } = await onTrial();
    expect((await open(linkTo("not-me"), method)).paragraphs).not.toContain(CHARGED);
  });

  test.each(["GET", "POST"])("after the trial says what happens if the card was charged (%s)", async (method) => {
    const { linkTo, open, rows } = await onTrial();
    rows(trialIsOver);
    expect((await open(linkTo("not-me"), method)).paragraphs).toContain(CHARGED);
  });

  test("during the trial frees the address for another sign-up", async () => {
    const { linkTo, open } = await onTrial();
    expect((await open(linkTo("not-me"), "POST")).paragraphs).toContain(FREE);
  });

  test("after a trial with a confirmed address does not promise another sign-up", async () => {
    const { linkTo, open, rows } = await onTrial();
    rows(trialIsHad);
    expect((await open(linkTo("not-me"), "POST")).paragraphs).not.toContain(FREE);
  });
});

describe.each([
  { purpose: "verify-email", button: "Confirm my email address" },
  { purpose: "not-me", button: "End this sign-up" },
] as const)("the link of the purpose $purpose", ({ purpose, button }) => {
  test("opens a page with a button that posts to the link", async () => {
    const { linkTo, open } = await onTrial();
    const form = (await open(linkTo(purpose))).document.querySelector("form");
    expect(form?.method).toBe("post");
    expect(form?.querySelector("button[type=submit]")?.textContent).toBe(button);
    expect(form?.getAttribute("action"), "the form is sent to the link itself").toBeNull();
  });

  test.each(["GET", "HEAD"])("changes nothing in the database or at Stripe for a link scanner's %s", async (method) => {
    const { linkTo, open, rows, calls } = await onTrial();
    const everything = () => [rows("SELECT * FROM sign_ups"), rows("SELECT * FROM outbox"), calls];
    const before = structuredClone(everything());
    expect(await open(linkTo(purpose), method)).toHaveStatus(200);
    expect(everything()).toEqual(before);
  });
});

describe("every page", () => {
  const PAGES: { page: string; path: (linkTo: (purpose: LinkPurpose) => string) => string }[] = [
    { page: "that asks to end a sign-up", path: (linkTo) => linkTo("not-me") },
    { page: "that asks to confirm an address", path: (linkTo) => linkTo("verify-email") },
    { page: "of a refused link", path: () => "/links/not-me/nothing" },
  ];

  test.each(PAGES)("is not cached, not indexed and sends no referrer (the page $page)", async ({ path }) => {
    const { linkTo, open } = await onTrial();
    const page = await open(path(linkTo));
    expect(page).toHaveHeader("Cache-Control", "no-store");
    expect(page).toHaveHeader("X-Robots-Tag", "noindex");
    expect(page).toHaveHeader("Referrer-Policy", "no-referrer");
  });

  test.each(PAGES)("runs no script and is shown in no frame (the page $page)", async ({ path }) => {
    const { linkTo, open } = await onTrial();
    const page = await open(path(linkTo));
    const policy = page.headers.get("Content-Security-Policy")?.split("; ").sort();
    expect(policy).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      expect.stringContaining("style-src 'sha256-"),
    ]);
    expect(page).toHaveHeader("X-Frame-Options", "DENY");
    expect(page.document.querySelectorAll("script")).toHaveLength(0);
  });

  test.each(PAGES)("has one heading, and support's address (the page $page)", async ({ path }) => {
    const { linkTo, open } = await onTrial();
    const { document } = await open(path(linkTo));
    expect(headingsOf(document)).toHaveLength(1);
    expect([...document.links].map(({ href }) => href)).toContain(`mailto:${company.supportEmail}`);
  });
});
