import { describe, expect, test, vi } from "vitest";
import { signedLinks } from "../../../../functions/subscription-api/signed-links";
import { NOW, stopClock } from "../../../support/clock";
import { onTrial, REFUSED } from "./opened-links";

/* Which tokens in links are taken, and for how long. */

stopClock();

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
