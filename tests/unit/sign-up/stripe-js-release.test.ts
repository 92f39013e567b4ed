import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { STRIPE_JS_URL } from "../../../app/signup/stripe-js";
import { root } from "../../../tools/wrangler/wrangler";

/* The release of Stripe.js that the page loads. */

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
