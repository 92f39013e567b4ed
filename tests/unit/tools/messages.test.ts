import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { messageOf } from "../../../tools/failures";
import { stripeMessageOf } from "../../../tools/stripe-setup/stripe-setup";
import { targetOf } from "../../../tools/stripe-setup/target";
import { readWorkerSettings, settingsOf } from "../../../tools/wrangler/worker-settings";
import { failureIn, runWrangler } from "../../../tools/wrangler/wrangler";

/* How a command runs Wrangler, and in which sentence it reports a failure. */

/** Runs a program instead of Wrangler. */
async function run(code: string, withinMs?: number) {
  const folder = await mkdtemp(join(tmpdir(), "wrangler-"));
  const program = join(folder, "wrangler.mjs");
  await writeFile(program, code);
  return runWrangler(["secret", "list"], { stage: "staging", folder: ".", program, withinMs });
}

test("Wrangler gets the stage and the Worker's folder, without questions and colors, and logs into a private folder that is removed", async () => {
  const { succeeded, stdout } = await run(`import { statSync, writeFileSync } from "node:fs";
    const folder = process.env.WRANGLER_LOG_PATH;
    writeFileSync(folder + "/a.log", "a signed link");
    console.log(folder, (statSync(folder).mode & 0o777).toString(8));
    console.log(...process.argv.slice(2), process.env.CI, process.env.FORCE_COLOR)`);
  const [logs = "", command] = stdout.split("\n");
  expect({ succeeded, command }).toEqual({ succeeded: true, command: "secret list --env staging --cwd . 1 0" });
  const [folder = "", mode] = logs.split(" ");
  expect(existsSync(folder)).toBe(false);
  if (process.platform !== "win32") expect(mode).toBe("700");
});

const LOG_IN =
  "Cloudflare rejected the login: run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token that can edit Workers, D1 and routes.";
const SERVICE_UNAVAILABLE =
  "✘ [ERROR] A request to the Cloudflare API (/accounts/1/d1) failed.\n\n  Service unavailable [code: 10013]\n\n  If you think this is a bug";

test.each<{ what: string; prints?: string; withinMs?: number; says: string }>([
  {
    what: "fails",
    prints: SERVICE_UNAVAILABLE,
    says: "Wrangler says: A request to the Cloudflare API (/accounts/1/d1) failed. Service unavailable [code: 10013]",
  },
  { what: "never ends", withinMs: 1, says: "Wrangler says: no answer within 0.001 seconds" },
  { what: "has no login", prints: "In CI, it's necessary to set a CLOUDFLARE_API_TOKEN", says: LOG_IN },
  { what: "has an old login", prints: "✘ [ERROR] Authentication error [code: 10000]", says: LOG_IN },
])("a Wrangler that $what has failed, which becomes one sentence: $says", async ({ prints, withinMs, says }) => {
  const code = prints
    ? `console.error(${JSON.stringify(prints)}); process.exitCode = 1`
    : "setInterval(() => {}, 1_000)";
  const { succeeded, output } = await run(code, withinMs);
  expect({ succeeded, says: failureIn(output) }).toEqual({ succeeded: false, says });
});

/** The error that a command ends with, as a person reads it. */
function sentenceAbout(work: () => unknown): string {
  try {
    return `No error, but ${work()}`;
  } catch (error) {
    return messageOf(error);
  }
}

const LIVE = "rk_live_0123456789abcdef";
/** The settings of a repository that nobody has filled in. */
const unedited: typeof settingsOf = (stage) => {
  const { site, api } = settingsOf(stage);
  return { site: { ...site, vars: { ...site.vars, SITE_URL: "https://www.citewell.example" } }, api };
};

test.each<{ what: string; to?: "sandbox"; key?: string; of?: typeof settingsOf; says: string }>([
  { what: "no key", says: "Set STRIPE_SECRET_KEY" },
  {
    what: "a publishable key",
    key: "pk_live_0123456789abcdef",
    says: "STRIPE_SECRET_KEY is not a live key: production",
  },
  { what: "a live key in the sandbox", to: "sandbox", key: LIVE, says: "STRIPE_SECRET_KEY is not a test key" },
  { what: "placeholders", key: LIVE, of: unedited, says: "SITE_URL is still a placeholder" },
])("a command for Stripe refuses $what in a sentence, which has neither the key nor a stack", (row) => {
  const { to = "production", key, of = settingsOf, says } = row;
  const sentence = sentenceAbout(() => targetOf(to, { settingsOf: of, env: { STRIPE_SECRET_KEY: key } }));
  expect(sentence).toContain(says);
  expect(sentence).not.toMatch(/0123456789abcdef|\n {4}at /);
});

const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
const ofRequest = { type: "invalid_request_error" as const, message: "It needs the 'rak_webhook_read' permission" };

test.each([
  { error: new StripePermissionError(ofRequest), says: "The key lacks the permission rak_webhook_read: tick it at" },
  { error: new StripeAuthenticationError(ofRequest), says: "Stripe does not know the key: copy it again from" },
])("stripe:setup reports Stripe's error in one sentence: $says", ({ error, says }) => {
  expect(stripeMessageOf(error)).toContain(says);
});

test.each([
  { text: "vars = = 1", sentence: /wrangler\.toml:2: Invalid TOML document/ },
  { text: "vars = 1", sentence: /wrangler\.toml configuration:\n.*"vars" should be an object/ },
])("an invalid wrangler.toml with $text is reported with its file, an unexpected error with its stack", async (row) => {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "wrangler.toml");
  await writeFile(file, `name = "a"\n${row.text}`);
  expect(sentenceAbout(() => readWorkerSettings(file))).toMatch(row.sentence);
  expect(messageOf(new TypeError("x is undefined"))).toMatch(/^TypeError: x is undefined\n {4}at /);
});
