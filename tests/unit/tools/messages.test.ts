import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { sentenceOf } from "../../../tools/failures";
import { testModeOf } from "../../../tools/start/test-mode";
import { sentenceOf as sentenceOfStripe } from "../../../tools/stripe-setup/stripe-setup";
import { targetOf } from "../../../tools/stripe-setup/target";
import { readWorkerSettings, stageOf } from "../../../tools/wrangler/worker-settings";
import { failureIn } from "../../../tools/wrangler/wrangler";

/** The error that a command ends with, as a person reads it. */
function sentenceAbout(work: () => unknown): string {
  try {
    return `No error, but ${work()}`;
  } catch (error) {
    return sentenceOf(error);
  }
}

const KEY = "_0123456789abcdef";
const testMode = (secret: string, publishable: string) =>
  testModeOf({ PATH: "/bin", STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable });
const target = (place: "production" | "sandbox", STRIPE_SECRET_KEY?: string) => targetOf(place, { STRIPE_SECRET_KEY });

test.each<[what: string, work: () => unknown, sentence: string]>([
  ["two stages", () => stageOf({ staging: true, production: true }), "Choose one of --staging and --production."],
  ["no publishable key", () => testMode(`sk_test${KEY}`, ""), "STRIPE_PUBLISHABLE_KEY is missing: npm start takes"],
  ["a live key", () => testMode(`sk_live${KEY}`, `pk_test${KEY}`), "STRIPE_SECRET_KEY is no test key"],
  ["a live publishable key", () => testMode(`sk_test${KEY}`, `pk_live${KEY}`), "STRIPE_PUBLISHABLE_KEY is no test key"],
  ["a short key", () => testMode("sk_test_short", `pk_test${KEY}`), "STRIPE_SECRET_KEY is no test key"],
  ["no key in production", () => target("production"), "Set STRIPE_SECRET_KEY"],
  ["a publishable key in production", () => target("production", `pk_test${KEY}`), "STRIPE_SECRET_KEY is no live key"],
  ["a test key in production", () => target("production", `sk_test${KEY}`), "STRIPE_SECRET_KEY is no live key"],
  ["placeholders in production", () => target("production", `rk_live${KEY}`), "SITE_URL is still a placeholder"],
  ["a live key in the sandbox", () => target("sandbox", `rk_live${KEY}`), "STRIPE_SECRET_KEY is no test key"],
])("a command refuses %s in a sentence without the key", (_, work, sentence) => {
  const told = sentenceAbout(work);
  expect(told).toContain(sentence);
  expect(told).not.toMatch(/0123456789abcdef|\n {4}at /);
});

test.each([
  ["In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN", "Cloudflare refuses the login: "],
  ["✘ [ERROR] Authentication error [code: 10000]", "Cloudflare refuses the login: run npx wrangler login"],
  ["✘ [ERROR] Something\n  new\n\nIf you think this is a bug", "Wrangler says: Something new"],
])("Wrangler's output %j is told as %j", (output, sentence) => {
  expect(failureIn(output)).toContain(sentence);
});

const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
const ofRequest = { type: "invalid_request_error" as const, message: "It needs the 'rak_webhook_read' permission" };

test.each([
  [new StripePermissionError(ofRequest), "The key lacks the permission rak_webhook_read: tick it at"],
  [new StripeAuthenticationError(ofRequest), "Stripe does not know the key: copy it again from"],
])("stripe:setup tells %o as %j", (error, sentence) => {
  expect(sentenceOfStripe(error)).toContain(sentence);
});

test("an unexpected error is told with its stack", () => {
  expect(sentenceOf(new TypeError("x is undefined"))).toMatch(/^TypeError: x is undefined\n {4}at /);
});

test.each([
  ["vars = = 1", /wrangler\.toml:2: Invalid TOML document/],
  ["vars = 1", /wrangler\.toml configuration:\n.*"vars" should be an object/],
])("an invalid wrangler.toml with %j is told with its file, and without a stack", async (text, sentence) => {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "wrangler.toml");
  await writeFile(file, `name = "a"\n${text}`);
  expect(sentenceAbout(() => readWorkerSettings(file))).toMatch(sentence);
});
