import { describe, expect, test, vi } from "vitest";
import {
  hasTooManyFailedCards,
  nextPendingCheck,
  nextTrialCheck,
  statusEnd,
} from "../../../../functions/subscription-api/sign-ups/sign-up";
import { signedLinks } from "../../../../functions/subscription-api/signed-links";
import { stopClock } from "../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../support/api-in-process/database";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const at = (milliseconds: number) => new Date(NOW + milliseconds);

stopClock(NOW);

describe("the time of a sign-up's next check", () => {
  test.each([
    [10 * MINUTE, 30 * MINUTE],
    [30 * MINUTE, 90 * MINUTE],
    [8 * HOUR, DAY],
    [9 * HOUR, DAY],
    [30 * HOUR, DAY],
  ])("after %i ms without a card is %i ms after its start", (age, next) => {
    expect(nextPendingCheck({ created_at: at(-age).toISOString() })).toEqual(at(next - age));
  });

  test("is an hour after a trial's end at Stripe, and at the end of a trial without a plan", () => {
    const trial = { status: "trialing", stripeSubscriptionId: "sub_1", trialEnd: at(DAY) } as const;
    expect(nextTrialCheck(trial)).toEqual(at(DAY + HOUR));
    expect(nextTrialCheck({ ...trial, stripeSubscriptionId: null })).toEqual(at(DAY));
    expect(nextTrialCheck({ ...trial, trialEnd: null })).toBeNull();
    for (const status of ["active", "past_due", "canceled"] as const) {
      expect(nextTrialCheck({ ...trial, status })).toBeNull();
    }
  });

  test("a sign-up's status is available for a day", () => {
    expect(statusEnd({ created_at: at(0).toISOString() })).toEqual(at(DAY));
  });
});

test("a sign-up ends after five declined cards [H3]", async () => {
  const signUp = await databaseInMemory().signUp();
  const failed = (declined_cards: number, used_cards: number) =>
    hasTooManyFailedCards({ ...signUp, declined_cards, used_cards });
  expect([failed(4, 0), failed(0, 4), failed(2, 2)]).toEqual([false, false, false]);
  expect([failed(5, 0), failed(0, 5), failed(2, 3), failed(6, 0)]).toEqual([true, true, true, true]);
});

describe("a signed link", () => {
  const [old, current] = ["the-old-secret-of-the-links-of-this-test", "the-new-secret-of-the-links-of-this-test"];
  const links = signedLinks({ publicUrl: "https://api.example", secrets: [current, old] });
  const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

  test("opens its purpose at the API, and no other purpose [H4] [G12]", async () => {
    const url = await links.urlOf("not-me", "a sign-up", at(HOUR));
    expect(url).toMatch(/^https:\/\/api\.example\/links\/not-me\/[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await links.urlOf("status", "a sign-up", at(HOUR), "https://other.example")).toMatch(
      /^https:\/\/other\.example\/subscription\/status\//,
    );
    expect(await links.read("not-me", tokenOf(url))).toBe("a sign-up");
    expect(await links.read("verify-email", tokenOf(url))).toBeUndefined();
    expect(await links.read("status", tokenOf(url))).toBeUndefined();
  });

  test("expires [H4]", async () => {
    const token = tokenOf(await links.urlOf("not-me", "a sign-up", at(HOUR)));
    vi.setSystemTime(NOW + HOUR - 1000);
    expect(await links.read("not-me", token)).toBe("a sign-up");
    vi.setSystemTime(NOW + HOUR);
    expect(await links.read("not-me", token)).toBeUndefined();
  });

  test("is signed with the first secret and verified with each [H4]", async () => {
    const before = signedLinks({ publicUrl: "https://api.example", secrets: [old] });
    const token = tokenOf(await before.urlOf("not-me", "a sign-up", at(HOUR)));
    expect(await links.read("not-me", token)).toBe("a sign-up");
    expect(await before.read("not-me", tokenOf(await links.urlOf("not-me", "a sign-up", at(HOUR))))).toBeUndefined();
    await expect(signedLinks({ publicUrl: "", secrets: [] }).urlOf("not-me", "a sign-up", at(HOUR))).rejects.toThrow();
  });

  test("is refused if it is malformed [G12]", async () => {
    const [, payload, signature] = tokenOf(await links.urlOf("not-me", "a sign-up", at(HOUR))).split(".");
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = [`${unsigned}.${payload}.`, `${unsigned}.${payload}.${signature}`];
    for (const token of [...forged, "", "x", "..", "a.b.c", "%%%", "a.b", "\u00e4"]) {
      expect(await links.read("not-me", token), token).toBeUndefined();
    }
  });

  test("is refused with any character of its signature changed, except the unused bits of the last [G12]", async () => {
    const token = tokenOf(await links.urlOf("not-me", "a sign-up", at(HOUR)));
    for (let index = token.lastIndexOf(".") + 1; index < token.length - 1; index += 1) {
      const changed = token.slice(0, index) + (token[index] === "A" ? "B" : "A") + token.slice(index + 1);
      expect(await links.read("not-me", changed), changed).toBeUndefined();
    }
  });
});
