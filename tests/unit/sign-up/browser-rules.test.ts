import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { company } from "../../../app/company";
import { meta } from "../../../app/routes/subscription";
import { STRIPE_JS_URL } from "../../../app/signup/stripe-js";
import { root } from "../../../tools/wrangler/wrangler";

/* The release of Stripe.js that the page loads, and the page's title. */

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
