import { JSDOM } from "jsdom";
import { describe, expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { type LinkPurpose, signedLinks } from "../../../../functions/subscription-api/signed-links";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { configurationOf } from "../sign-ups/sign-ups";

/* The pages behind the links in emails. They confirm an address, or end a sign-up that someone else began. */

stopClock();

const CONFIRMED = "Your email address is confirmed";
const ENDED = "This sign-up has ended";
const REFUSED = "This link doesn’t work";

/** A trial that has begun, and links for it. */
async function onTrial() {
  const api = apiInProcess();
  const id = await api.onTrial();
  const links = signedLinks(configurationOf(api.env).links);
  const linkTo = (purpose: LinkPurpose, signUpId = id) => links.urlOf(purpose, signUpId, new Date(NOW + DAY));
  return {
    ...api,
    linkTo,
    tokenFor: (purpose: LinkPurpose, signUpId = id) => linkTo(purpose, signUpId).split("/").at(-1) ?? "",
    async open(url: string, method = "GET") {
      const page = await shown(await api.ask(url, { method }));
      await api.settled();
      return page;
    },
    signUp: () => api.rows("SELECT status, end_reason, email_verified_at FROM sign_ups")[0],
    messages: (kind: string) => api.rows("SELECT state FROM outbox WHERE kind = ?", kind),
  };
}

async function shown(response: Response) {
  const text = await response.text();
  const { document } = new JSDOM(text).window;
  const paragraphs = [...document.querySelectorAll("p")].map((paragraph) => paragraph.textContent);
  return {
    status: response.status,
    headers: response.headers,
    text,
    document,
    heading: headingsOf(document).join(),
    paragraphs,
  };
}

const headingsOf = (document: Document) => [...document.querySelectorAll("h1")].map((heading) => heading.textContent);

describe("a link that confirms the address", () => {
  test("confirms it with one click", async () => {
    const { linkTo, open, signUp } = await onTrial();
    const page = await open(linkTo("verify-email"));
    expect(page.heading).toBe(CONFIRMED);
    expect(signUp()).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
  });

  test("notifies the console once, however often it is opened", async () => {
    const { linkTo, open, messages } = await onTrial();
    await open(linkTo("verify-email"));
    const second = await open(linkTo("verify-email"));
    expect(second.heading).toBe(CONFIRMED);
    expect(messages("email-verified")).toEqual([{ state: "sent" }]);
  });

  test("confirms nothing for a link scanner's HEAD", async () => {
    const { linkTo, open, signUp } = await onTrial();
    expect(await open(linkTo("verify-email"), "HEAD")).toHaveStatus(200);
    expect(signUp()).toMatchObject({ email_verified_at: null });
  });

  test("confirms nothing once the sign-up has ended", async () => {
    const { linkTo, open, signUp } = await onTrial();
    await open(linkTo("not-me"), "POST");
    const page = await open(linkTo("verify-email"));
    expect(page.heading).toBe(ENDED);
    expect(signUp()).toMatchObject({ email_verified_at: null });
  });
});

describe("“This wasn’t me”", () => {
  test("asks first and changes nothing", async () => {
    const { linkTo, open, signUp } = await onTrial();
    const { document } = await open(linkTo("not-me"));
    const form = document.querySelector("form");
    expect(form?.method).toBe("post");
    expect(form?.querySelector("button[type=submit]")?.textContent).toBe("End this sign-up");
    expect(form?.getAttribute("action"), "the form is sent to the link itself").toBeNull();
    expect(signUp()).toMatchObject({ status: "trialing", end_reason: null });
  });

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

describe("a link is refused", () => {
  type Tokens = { verify: string; notMe: string; unknownSignUp: string };
  const REFUSALS: { why: string; path: (tokens: Tokens) => string }[] = [
    {
      why: "its token confirms an address, but its page ends a sign-up",
      path: ({ verify }) => `/links/not-me/${verify}`,
    },
    {
      why: "its token ends a sign-up, but its page confirms an address",
      path: ({ notMe }) => `/links/verify-email/${notMe}`,
    },
    { why: "its sign-up does not exist", path: ({ unknownSignUp }) => `/links/verify-email/${unknownSignUp}` },
    { why: "its token is a zero byte", path: () => "/links/not-me/%00" },
  ];

  test.each(REFUSALS)("and logged if $why", async ({ path }) => {
    const { tokenFor, open, signUp, logged } = await onTrial();
    const tokens = {
      verify: tokenFor("verify-email"),
      notMe: tokenFor("not-me"),
      unknownSignUp: tokenFor("verify-email", crypto.randomUUID()),
    };
    const page = await open(path(tokens));
    expect(page).toHaveStatus(404);
    expect(page.heading).toBe(REFUSED);
    expect(logged).toContainEqual(expect.objectContaining({ on: "warn", event: "link_refused" }));
    expect(signUp()).toMatchObject({ status: "trialing", email_verified_at: null });
  });

  test("with 404 if the token of an email is used to read a sign-up's status", async () => {
    const { tokenFor, ask, logged } = await onTrial();
    const answer = await ask(`/subscription/status/${tokenFor("verify-email")}`);
    expect(answer).toHaveStatus(404);
    expect(logged).toContainEqual(expect.objectContaining({ on: "warn", event: "link_refused" }));
  });
});

describe("every page", () => {
  const PAGES: { page: string; path: (linkTo: (purpose: LinkPurpose) => string) => string }[] = [
    { page: "that asks to end a sign-up", path: (linkTo) => linkTo("not-me") },
    { page: "of a confirmed address", path: (linkTo) => linkTo("verify-email") },
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

describe("a token", () => {
  const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
  const EXPIRES = new Date(NOW + 1000);
  const linksWith = (...secrets: string[]) => signedLinks({ publicUrl: "https://api.example", secrets });
  const links = linksWith("the-old-secret");
  const token = links.urlOf("status", SIGN_UP, EXPIRES).replace("https://api.example/subscription/status/", "");

  test("has 43 characters that need no escape in a URL", () => {
    expect(token).toHaveLength(43);
    expect(encodeURIComponent(token)).toBe(token);
  });

  test("names its sign-up to the last millisecond", () => {
    vi.setSystemTime(EXPIRES.getTime() - 1);
    expect(links.read("status", token)).toBe(SIGN_UP);
  });

  test("names nothing from the moment it expires", () => {
    vi.setSystemTime(EXPIRES);
    expect(links.read("status", token)).toBeUndefined();
  });

  test("still works while its secret is kept as an old one", () => {
    expect(linksWith("the-new-secret", "the-old-secret").read("status", token)).toBe(SIGN_UP);
  });

  test("no longer works once its secret is gone", () => {
    expect(linksWith("the-new-secret").read("status", token)).toBeUndefined();
  });

  test.each([
    { what: "nothing", altered: "" },
    { what: "one letter", altered: "x" },
    { what: "the token without its first letter", altered: token.slice(1) },
    { what: "the token twice", altered: token + token },
    { what: "4,000 letters", altered: "x".repeat(4000) },
  ])("is not $what", ({ altered }) => {
    expect(links.read("status", altered)).toBeUndefined();
  });

  test("is refused with any one of its bits changed", () => {
    const bytes = Buffer.from(token, "base64url");
    const readable: string[] = [];
    for (const [position, byte] of bytes.entries()) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const altered = Buffer.from(bytes.with(position, byte ^ bit)).toString("base64url");
        if (links.read("status", altered) !== undefined) readable.push(`byte ${position}, bit ${bit}`);
      }
    }
    expect(readable, "changes that leave the token readable").toEqual([]);
  });
});
