import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { loadStripe } from "@stripe/stripe-js/pure";
import fc from "fast-check";
import { JSDOM } from "jsdom";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { clientAction, meta, shouldRevalidate } from "../../../app/routes/subscription";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { FIELD_NAMES } from "../../../app/signup/form-schema";
import { loadStep, troubleOf } from "../../../app/signup/load-step";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import { parseForm } from "../../../app/signup/server/posted-form.server";
import { fields } from "../../support/visitors/site-visitor";

/* The site's own script: what it validates, how it loads a step, and the Stripe.js that it loads. */

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const valid: Record<string, string> = fields;

test("finds in the browser what the server finds, in any form, and passwords that differ in each", () => {
  const entry = fc.oneof(
    fc.constantFrom("valid", "", " ", "a", "1", "Passw0rd", "ada@", "99999-1"),
    fc.string({ unit: "grapheme", maxLength: 20 }),
  );
  const form = fc.record(Object.fromEntries(FIELD_NAMES.map((name) => [name, entry])), { requiredKeys: [] });
  fc.assert(
    fc.property(form, (entries) => {
      const pairs = Object.entries(entries).map(([name, text = ""]) => [name, text === "valid" ? valid[name] : text]);
      const posted: Record<string, string> = Object.fromEntries(pairs);
      const data = new FormData();
      for (const [name, value] of Object.entries(posted)) data.append(name, value);
      const [inBrowser, onServer] = [validateInBrowser(data), parseForm(posted)];
      const readIn = (found: typeof onServer) => [found.status, found.reply().error, "value" in found && found.value];
      expect(readIn(inBrowser)).toEqual(readIn(onServer));
      const differ = (posted.password ?? "") !== (posted.confirmPassword ?? "");
      expect(inBrowser.reply().error?.confirmPassword).toEqual(differ ? ["Passwords do not match"] : undefined);
    }),
    { numRuns: 300, seed: 2026 },
  );
});

test("the card step loads the script of the installed @stripe/stripe-js, of the same release as the API's package", async () => {
  const { window } = new JSDOM("<!doctype html><head></head>");
  vi.stubGlobal("window", window);
  vi.stubGlobal("document", window.document);
  // Nothing loads a script here, so that the promise stays open.
  void loadStripe("pk_test_x");
  await vi.waitFor(() => expect(window.document.scripts).toHaveLength(1));
  expect(STRIPE_JS_URL).toBe(window.document.scripts[0]?.src);
  expect(STRIPE_JS_URL).toContain(`/${Stripe.API_VERSION.split(".")[1]}/`);
});

const titled = z.custom<Parameters<typeof meta>[0]>();

test.each([
  ["Sign up, step 1 of 2: details", { step: "form" }],
  ["Sign up, step 2 of 2: card", { step: "card" }],
  ["Sign up, step 2 of 2: card", { step: "waiting" }],
  ["Continue your sign-up", { step: "resume" }],
  ["Subscription successful", { step: "done" }],
  ["Error: Sign up, step 1 of 2: details", { step: "card", failed: true }],
  ["Error: Continue your sign-up", { step: "resume", failed: true }],
])("no search engine keeps the page titled %s: %j", (title, data) => {
  const tags = [{ title: `${title} · Citewell` }, { name: "robots", content: "noindex" }];
  expect(meta(titled.parse({ data }))).toEqual(expect.arrayContaining(tags));
});

const posted = z.custom<Parameters<typeof clientAction>[0]>();
const refusedByGuard = new ErrorResponse(403, "Forbidden", null);

test.each([
  ["an error of the network", new TypeError("Failed to fetch"), "Unable to connect to the API server."],
  ["a refusal of the guard", refusedByGuard, "Access forbidden. Please contact support."],
  ["a plain page", new Error("Unable to decode turbo-stream response"), "An unexpected error occurred."],
])("a post keeps its page after %s", async (_, thrown, words) => {
  vi.stubGlobal("navigator", { onLine: true });
  const reply = await clientAction(posted.parse({ serverAction: () => Promise.reject(thrown) }));
  expect(reply).toMatchObject({ notice: { message: expect.stringContaining(words) } });
  const elsewhere = redirect("/subscription");
  const leading = clientAction(posted.parse({ serverAction: () => Promise.reject(elsewhere) }));
  await expect(leading).rejects.toBe(elsewhere);
});

const moved = z.custom<Parameters<typeof shouldRevalidate>[0]>();

test.each([
  [undefined, true, true],
  [undefined, false, false],
  [{ notice: {} }, true, false],
])("after an action's reply %j the step is loaded again: %s, %s", (actionResult, defaultShouldRevalidate, loads) => {
  expect(shouldRevalidate(moved.parse({ actionResult, defaultShouldRevalidate }))).toBe(loads);
});

describe("the next step", () => {
  const reported: unknown[] = [];
  const FAILED = new TypeError("Failed to fetch");

  beforeEach(() => {
    reported.length = 0;
    vi.useFakeTimers();
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
    vi.stubGlobal("navigator", { onLine: true });
  });

  /** Loads a step that is there after some failures. */
  function load(failures: number, thrown: unknown) {
    const [begun, asked] = [Date.now(), [] as number[]];
    const page = new AbortController();
    async function ask() {
      asked.push(Date.now() - begun);
      if (asked.length <= failures) throw thrown;
      return "the step";
    }
    const step = loadStep(ask, page.signal).catch((error: unknown) => error);
    return { asked, step, leave: () => page.abort() };
  }

  const UNREAD = new Error("Unable to decode turbo-stream response from URL: /subscription.data");
  const ALL = [0, 500, 1_500, 3_500, 7_500];

  test.each<[string, unknown, askedAt: number[], isReported?: boolean]>([
    ...[
      "Failed to fetch",
      "NetworkError when attempting to fetch resource.",
      "Load failed",
      "The network connection was lost.",
      "The Internet connection appears to be offline.",
      "error loading dynamically imported module: https://www.site.example/x.js",
      "Importing a module script failed.",
    ].map((lost): [string, unknown, number[]] => [lost, new TypeError(lost), ALL]),
    ["a plain page", UNREAD, ALL],
    ["an error of the server", new ErrorResponse(500, "Internal Server Error", null), ALL],
    ["an error in its code", new TypeError("Cannot read properties of undefined (reading 'step')"), [0], true],
    ["another error in its code", new RangeError("Maximum call stack size exceeded"), [0], true],
    ["a redirect", redirect("/subscription"), [0]],
  ])("is asked for up to five times, but not after an error of its own: %s", async (_, thrown, askedAt, isReported) => {
    const [late, never] = [load(4, thrown), load(5, thrown)];
    await vi.runAllTimersAsync();
    expect([await late.step, await never.step]).toEqual([askedAt === ALL ? "the step" : thrown, thrown]);
    expect([late.asked, never.asked, vi.getTimerCount()]).toEqual([askedAt, askedAt, 0]);
    expect(reported).toEqual(isReported ? [thrown, thrown] : []);
  });

  test("is not asked for once the visitor has left the page", async () => {
    const { asked, step, leave } = load(5, FAILED);
    await vi.advanceTimersByTimeAsync(600);
    leave();
    await vi.runAllTimersAsync();
    expect([await step, asked]).toEqual([expect.objectContaining({ name: "AbortError" }), [0, 500]]);
  });

  test("has the offline message in an offline browser, whatever its words", () => {
    vi.stubGlobal("navigator", { onLine: false });
    expect(troubleOf(new TypeError("Die Verbindung wurde unterbrochen."))).toBe("offline");
  });
});
