import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { loadStripe } from "@stripe/stripe-js/pure";
import fc from "fast-check";
import { JSDOM } from "jsdom";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { clientAction, meta } from "../../../app/routes/subscription";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { FIELD_NAMES } from "../../../app/signup/form-schema";
import { loadStep, troubleOf } from "../../../app/signup/load-step";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import { parseForm } from "../../../app/signup/server/posted-form.server";
import { fields } from "../../support/visitors/site-visitor";

/* The site's own script: what it validates, how it loads a step, and the Stripe.js that it loads. */

beforeEach(() => void vi.stubGlobal("navigator", { onLine: true }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("finds in the browser what the server finds, in any form", () => {
  const entryOf = (valid: string) => {
    const some = fc.constantFrom(valid, "", " ", "a", "1", "Passw0rd", "ada@", "99999-1");
    return fc.oneof(some, fc.string({ unit: "grapheme", maxLength: 20 }));
  };
  const entries = Object.fromEntries(FIELD_NAMES.map((name) => [name, entryOf(fields[name])]));
  const check = fc.property(fc.record(entries, { requiredKeys: [] }), (form) => {
    const posted = Object.fromEntries(Object.entries(form).map(([name, value = ""]) => [name, value]));
    const data = new FormData();
    for (const [name, value] of Object.entries(posted)) data.append(name, value);
    const [inBrowser, onServer] = [validateInBrowser(data), parseForm(posted)];
    const readIn = (found: typeof onServer) => [found.status, found.reply().error, "value" in found && found.value];
    expect(readIn(inBrowser)).toEqual(readIn(onServer));
  });
  fc.assert(check, { numRuns: 300, seed: 2026 });
});

test("the card step loads the script of the installed @stripe/stripe-js, of the same release as the API's package", async () => {
  const { window } = new JSDOM("<!doctype html><head></head>");
  vi.stubGlobal("window", window);
  vi.stubGlobal("document", window.document);
  // Nothing loads a script here, so that the promise stays open.
  void loadStripe("pk_test_x");
  await vi.waitFor(() => expect(window.document.scripts[0]?.src).toBe(STRIPE_JS_URL));
  expect(STRIPE_JS_URL).toContain(`/${Stripe.API_VERSION.split(".")[1]}/`);
});

test.each([
  ["Continue your sign-up", { step: "resume" }],
  ["Error: Sign up, step 1 of 2: details", { step: "card", failed: true }],
  ["Error: Continue your sign-up", { step: "resume", failed: true }],
])("a page is titled %s: %j", (title, data) => {
  const given = z.custom<Parameters<typeof meta>[0]>().parse({ data });
  expect(meta(given)).toContainEqual({ title: `${title} · Citewell` });
});

const UNREAD = new Error("Unable to decode turbo-stream response from URL: /subscription.data");

test("a post that a plain page answers keeps its form, with a notice", async () => {
  const posted = z.custom<Parameters<typeof clientAction>[0]>().parse({ serverAction: () => Promise.reject(UNREAD) });
  const message = "An unexpected error occurred. Please try again.";
  expect(await clientAction(posted)).toMatchObject({ notice: { title: "Submission Failed", message } });
});

describe("the next step", () => {
  const reported: unknown[] = [];

  beforeEach(() => {
    reported.length = 0;
    vi.useFakeTimers();
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
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

  const LOST = [
    "Failed to fetch",
    "NetworkError when attempting to fetch resource.",
    "Load failed",
    "The network connection was lost.",
    "The Internet connection appears to be offline.",
    "error loading dynamically imported module: https://www.site.example/x.js",
    "Importing a module script failed.",
  ].map((words) => new TypeError(words));
  const PASSING = [...LOST, UNREAD, new ErrorResponse(500, "", null)];
  const OWN = [new TypeError("Cannot read properties of undefined (reading 'step')"), new RangeError("Too deep")];

  test.each([
    ...PASSING.map((thrown) => ({ thrown, askedAt: [0, 500, 1_500, 3_500, 7_500], reports: 0 })),
    ...OWN.map((thrown) => ({ thrown, askedAt: [0], reports: 2 })),
    { thrown: redirect("/subscription"), askedAt: [0], reports: 0 },
  ])("is asked for up to five times, but not after an error of its own: $thrown", async (given) => {
    const { thrown, askedAt, reports } = given;
    const [late, never] = [load(4, thrown), load(5, thrown)];
    await vi.runAllTimersAsync();
    expect([await late.step, await never.step]).toEqual([askedAt.length > 1 ? "the step" : thrown, thrown]);
    expect([late.asked, never.asked, vi.getTimerCount()]).toEqual([askedAt, askedAt, 0]);
    expect(reported).toEqual([thrown, thrown].slice(0, reports));
  });

  test("is not asked for once the visitor has left the page", async () => {
    const { asked, step, leave } = load(5, UNREAD);
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
