import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { company } from "../../../app/company";
import { clientAction, meta } from "../../../app/routes/subscription";
import { loadStep, troubleOf } from "../../../app/signup/retry-requests";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import { root } from "../../../tools/wrangler/wrangler";

/* The site's own script: how it loads a step, and the Stripe.js that it loads. */

beforeEach(() => void vi.stubGlobal("navigator", { onLine: true }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("Stripe.js has the release", () => {
  const release = Stripe.API_VERSION.split(".")[1];

  test("of the API version that the server uses", () => {
    expect(STRIPE_JS_URL).toBe(`https://js.stripe.com/${release}/stripe.js`);
  });

  test("of the installed package that loads it", async () => {
    const installed = await readFile(join(root, "node_modules/@stripe/stripe-js/dist/pure.mjs"), "utf8");
    const line = installed.split("\n").find((each) => each.includes("RELEASE_TRAIN ="));
    expect(line).toContain(`'${release}'`);
  });
});

test.each([
  { title: "Sign up, step 2 of 2: card", page: "with the card step", data: { step: "waiting" } },
  { title: "Continue your sign-up", page: "with a sign-up to continue", data: { step: "resume" } },
  {
    title: "Error: Sign up, step 1 of 2: details",
    page: "whose form was refused",
    data: { step: "card", failed: true },
  },
  {
    title: "Error: Continue your sign-up",
    page: "that could not continue a sign-up",
    data: { step: "resume", failed: true },
  },
])('the title is "$title" on a page $page', ({ title, data }) => {
  const given = z.custom<Parameters<typeof meta>[0]>().parse({ data });
  expect(meta(given)).toContainEqual({ title: `${title} · ${company.name}` });
});

/** Remix's error for an answer that is not a page's data. */
const UNREADABLE = new Error("Unable to decode turbo-stream response from URL: /subscription.data");

test("a form that a plain page answers stays, with a notice to try again", async () => {
  const posted = z
    .custom<Parameters<typeof clientAction>[0]>()
    .parse({ serverAction: () => Promise.reject(UNREADABLE) });
  expect(await clientAction(posted)).toMatchObject({
    notice: { title: "Submission Failed", message: "An unexpected error occurred. Please try again." },
  });
});

describe("the next step", () => {
  const reported: unknown[] = [];

  beforeEach(() => {
    reported.length = 0;
    vi.useFakeTimers();
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  });

  /** Loads a step that arrives after some failures. `askedAt` is in milliseconds since the first request. */
  function load({ failures, thrown, signal }: { failures: number; thrown: unknown; signal?: AbortSignal }) {
    const begun = Date.now();
    const askedAt: number[] = [];
    async function ask() {
      askedAt.push(Date.now() - begun);
      if (askedAt.length <= failures) throw thrown;
      return "the step";
    }
    const step = loadStep(ask, signal ?? new AbortController().signal).catch((error: unknown) => error);
    return { askedAt, step };
  }

  const FIVE_TRIES = [0, 500, 1_500, 3_500, 7_500];

  const PASSING: { trouble: string; thrown: unknown }[] = [
    { trouble: "Chromium lost the connection", thrown: new TypeError("Failed to fetch") },
    {
      trouble: "Firefox lost the connection",
      thrown: new TypeError("NetworkError when attempting to fetch resource."),
    },
    { trouble: "Safari could not load it", thrown: new TypeError("Load failed") },
    { trouble: "Safari lost the connection", thrown: new TypeError("The network connection was lost.") },
    { trouble: "Safari is offline", thrown: new TypeError("The Internet connection appears to be offline.") },
    {
      trouble: "Firefox could not load a module",
      thrown: new TypeError("error loading dynamically imported module: https://www.site.example/x.js"),
    },
    { trouble: "Safari could not load a module", thrown: new TypeError("Importing a module script failed.") },
    { trouble: "the answer is not a page's data", thrown: UNREADABLE },
    { trouble: "the server failed", thrown: new ErrorResponse(500, "", null) },
  ];

  test.each(PASSING)("is shown if it arrives at the fifth try: $trouble", async ({ thrown }) => {
    const { step, askedAt } = load({ failures: 4, thrown });
    await vi.runAllTimersAsync();
    expect(await step).toBe("the step");
    expect(askedAt).toEqual(FIVE_TRIES);
  });

  test.each(PASSING)("is not requested a sixth time: $trouble", async ({ thrown }) => {
    const { step, askedAt } = load({ failures: 5, thrown });
    await vi.runAllTimersAsync();
    expect(await step).toBe(thrown);
    expect(askedAt).toEqual(FIVE_TRIES);
  });

  test.each(PASSING)("is given up without reporting an error: $trouble", async ({ thrown }) => {
    const { step } = load({ failures: 5, thrown });
    await vi.runAllTimersAsync();
    await step;
    expect(reported).toEqual([]);
  });

  const OWN_ERRORS = [
    new TypeError("Cannot read properties of undefined (reading 'step')"),
    new RangeError("Too deep"),
  ];

  test.each(OWN_ERRORS)("is requested once, and an error in the page's own code is reported: %s", async (thrown) => {
    const { step, askedAt } = load({ failures: 5, thrown });
    await vi.runAllTimersAsync();
    expect(await step).toBe(thrown);
    expect(askedAt).toEqual([0]);
    expect(reported).toEqual([thrown]);
  });

  test("is replaced by a redirect at once, and no error is reported", async () => {
    const thrown = redirect("/subscription");
    const { step, askedAt } = load({ failures: 5, thrown });
    await vi.runAllTimersAsync();
    expect(await step).toBe(thrown);
    expect(askedAt).toEqual([0]);
    expect(reported).toEqual([]);
  });

  test("is not requested after the visitor has left the page", async () => {
    const page = new AbortController();
    const { askedAt, step } = load({ failures: 5, thrown: UNREADABLE, signal: page.signal });
    await vi.advanceTimersByTimeAsync(600);
    page.abort();
    await vi.runAllTimersAsync();
    expect(await step).toMatchObject({ name: "AbortError" });
    expect(askedAt).toEqual([0, 500]);
  });

  test("has the offline message in an offline browser, whatever the error's message is", () => {
    vi.stubGlobal("navigator", { onLine: false });
    expect(troubleOf(new TypeError("Die Verbindung wurde unterbrochen."))).toBe("offline");
  });
});
