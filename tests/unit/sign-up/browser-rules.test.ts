import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { company } from "../../../app/company";
import { clientAction, meta } from "../../../app/routes/subscription";
import { loadStep, troubleOf } from "../../../app/signup/load-step";
import { STRIPE_JS_URL } from "../../../app/signup/server/current-step.server";
import { root } from "../../../tools/wrangler/wrangler";

/* The site's own script: how it loads a step, and the Stripe.js that it loads. */

beforeEach(() => void vi.stubGlobal("navigator", { onLine: true }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the card step loads Stripe.js of the same release as the installed packages", async () => {
  const release = Stripe.API_VERSION.split(".")[1];
  expect(STRIPE_JS_URL).toBe(`https://js.stripe.com/${release}/stripe.js`);
  const installed = await readFile(join(root, "node_modules/@stripe/stripe-js/dist/pure.mjs"), "utf8");
  expect(installed).toContain(`RELEASE_TRAIN = '${release}'`);
});

test.each([
  ["Sign up, step 2 of 2: card", { step: "waiting" }],
  ["Continue your sign-up", { step: "resume" }],
  ["Error: Sign up, step 1 of 2: details", { step: "card", failed: true }],
  ["Error: Continue your sign-up", { step: "resume", failed: true }],
])("a page is titled %s: %j", (title, data) => {
  const given = z.custom<Parameters<typeof meta>[0]>().parse({ data });
  expect(meta(given)).toContainEqual({ title: `${title} · ${company.name}` });
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
  function load(failures: number, thrown: unknown, page = new AbortController()) {
    const [begun, asked] = [Date.now(), [] as number[]];
    async function ask() {
      asked.push(Date.now() - begun);
      if (asked.length <= failures) throw thrown;
      return "the step";
    }
    return { asked, step: loadStep(ask, page.signal).catch((error: unknown) => error) };
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
  ])("is requested up to five times, but not after an error in the page's own code: $thrown", async (given) => {
    const { thrown, askedAt, reports } = given;
    const [late, never] = [load(4, thrown), load(5, thrown)];
    await vi.runAllTimersAsync();
    expect([await late.step, await never.step]).toEqual([askedAt.length > 1 ? "the step" : thrown, thrown]);
    expect([late.asked, never.asked, vi.getTimerCount()]).toEqual([askedAt, askedAt, 0]);
    expect(reported).toEqual([thrown, thrown].slice(0, reports));
  });

  test("is not requested after the visitor has left the page", async () => {
    const page = new AbortController();
    const { asked, step } = load(5, UNREAD, page);
    await vi.advanceTimersByTimeAsync(600);
    page.abort();
    await vi.runAllTimersAsync();
    expect([await step, asked]).toEqual([expect.objectContaining({ name: "AbortError" }), [0, 500]]);
  });

  test("has the offline message in an offline browser, whatever the error's message is", () => {
    vi.stubGlobal("navigator", { onLine: false });
    expect(troubleOf(new TypeError("Die Verbindung wurde unterbrochen."))).toBe("offline");
  });
});
