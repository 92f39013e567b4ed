import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { messageOf } from "../../../tools/failures";
import { testModeOf } from "../../../tools/start/test-mode";
import { stripeMessageOf } from "../../../tools/stripe-setup/stripe-setup";
import { targetOf } from "../../../tools/stripe-setup/target";
import { readWorkerSettings, settingsOf } from "../../../tools/wrangler/worker-settings";
import { failureIn } from "../../../tools/wrangler/wrangler";

/** The error that a command ends with, as a person reads it. */
function sentenceAbout(work: () => unknown): string {
  try {
    return `No error, but ${work()}`;
  } catch (error) {
    return messageOf(error);
  }
}

const KEY = "_0123456789abcdef";
const testMode = (secret: string, publishable: string) =>
  testModeOf({ PATH: "/bin", STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable });
const target = (place: "production" | "sandbox", STRIPE_SECRET_KEY?: string, of = settingsOf) =>
  targetOf(place, { settingsOf: of, env: { STRIPE_SECRET_KEY } });
/** The settings of a repository that nobody has filled in. */
const unedited: typeof settingsOf = (stage) => {
  const { site, api } = settingsOf(stage);
  return { site: { ...site, vars: { ...site.vars, SITE_URL: "https://www.citewell.example" } }, api };
};

test.each<{ what: string; work: () => unknown; says: string }>([
  {
    what: "a live publishable key",
    work: () => testMode(`sk_test${KEY}`, `pk_live${KEY}`),
    says: "STRIPE_PUBLISHABLE_KEY is not a test key",
  },
  {
    what: "a short key",
    work: () => testMode("sk_test_short", `pk_test${KEY}`),
    says: "STRIPE_SECRET_KEY is not a test key",
  },
  { what: "no key in production", work: () => target("production"), says: "Set STRIPE_SECRET_KEY" },
  {
    what: "a publishable key in production",
    work: () => target("production", `pk_test${KEY}`),
    says: "STRIPE_SECRET_KEY is not a live key",
  },
  {
    what: "a test key in production",
    work: () => target("production", `sk_test${KEY}`),
    says: "STRIPE_SECRET_KEY is not a live key",
  },
  {
    what: "placeholders in production",
    work: () => target("production", `rk_live${KEY}`, unedited),
    says: "SITE_URL is still a placeholder",
  },
  {
    what: "a live key in the sandbox",
    work: () => target("sandbox", `rk_live${KEY}`),
    says: "STRIPE_SECRET_KEY is not a test key",
  },
])("a command refuses $what in a sentence, which has neither the key nor a stack", ({ work, says }) => {
  const sentence = sentenceAbout(work);
  expect(sentence).toContain(says);
  expect(sentence).not.toContain("0123456789abcdef");
  expect(sentence).not.toMatch(/\n {4}at /);
});

test.each([
  {
    output: "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN",
    says: "Cloudflare rejected the login: ",
  },
  {
    output: "✘ [ERROR] Authentication error [code: 10000]",
    says: "Cloudflare rejected the login: run npx wrangler login",
  },
  { output: "✘ [ERROR] Something\n  new\n\nIf you think this is a bug", says: "Wrangler says: Something new" },
  {
    output:
      "✘ [ERROR] A request to the Cloudflare API (/accounts/1/d1) failed.\n\n  Service unavailable [code: 10013]\n\n  If you think this is a bug",
    says: "A request to the Cloudflare API (/accounts/1/d1) failed. Service unavailable [code: 10013]",
  },
])("Wrangler's error $output becomes one sentence", ({ output, says }) => {
  expect(failureIn(output)).toContain(says);
});

const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
const ofRequest = { type: "invalid_request_error" as const, message: "It needs the 'rak_webhook_read' permission" };

test.each([
  { error: new StripePermissionError(ofRequest), says: "The key lacks the permission rak_webhook_read: tick it at" },
  { error: new StripeAuthenticationError(ofRequest), says: "Stripe does not know the key: copy it again from" },
])("stripe:setup reports Stripe's error in one sentence: $says", ({ error, says }) => {
  expect(stripeMessageOf(error)).toContain(says);
});

test("an unexpected error is reported with its stack", () => {
  expect(messageOf(new TypeError("x is undefined"))).toMatch(/^TypeError: x is undefined\n {4}at /);
});

test.each([
  { text: "vars = = 1", sentence: /wrangler\.toml:2: Invalid TOML document/ },
  { text: "vars = 1", sentence: /wrangler\.toml configuration:\n.*"vars" should be an object/ },
])("an invalid wrangler.toml with $text is reported with its file", async ({ text, sentence }) => {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "wrangler.toml");
  await writeFile(file, `name = "a"\n${text}`);
  expect(sentenceAbout(() => readWorkerSettings(file))).toMatch(sentence);
});
