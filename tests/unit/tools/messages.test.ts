import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageOf } from "../../../tools/failures";
import { targetOf } from "../../../tools/stripe-setup/target";
import { readWorkerSettings, settingsOf } from "../../../tools/wrangler/worker-settings";
import { failureIn, runWrangler } from "../../../tools/wrangler/wrangler";

/* How a command runs Wrangler, and in which sentence it reports a failure. */

/** Runs a program instead of Wrangler. */
function run(code: string, withinMs?: number) {
  const program = join(mkdtempSync(join(tmpdir(), "wrangler-")), "wrangler.mjs");
  writeFileSync(program, code);
  return runWrangler(["secret", "list"], { stage: "staging", folder: ".", program, withinMs });
}

test("Wrangler gets the stage and the Worker's folder, without questions and colors, and logs into a private folder that is removed", () => {
  const { succeeded, stdout } = run(`import { statSync, writeFileSync } from "node:fs";
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
])("a Wrangler that $what has failed, which becomes one sentence: $says", ({ prints, withinMs, says }) => {
  const code = prints
    ? `console.error(${JSON.stringify(prints)}); process.exitCode = 1`
    : "setInterval(() => {}, 1_000)";
  const { succeeded, output } = run(code, withinMs);
  expect({ succeeded, says: failureIn(output) }).toEqual({ succeeded: false, says });
});

const LIVE = "rk_live_0123456789abcdef";
/** The settings of a repository that nobody has filled in. */
const unedited: typeof settingsOf = (stage) => {
  const { site, api } = settingsOf(stage);
  return { site: { ...site, vars: { ...site.vars, SITE_URL: "https://www.citewell.example" } }, api };
};

const NO_KEY = "Set STRIPE_SECRET_KEY: read -rs STRIPE_SECRET_KEY && export STRIPE_SECRET_KEY";
const notA = (mode: "live" | "test", target: string) =>
  `STRIPE_SECRET_KEY is not a ${mode} key: ${target} takes sk_${mode}_… or rk_${mode}_….`;
const PLACEHOLDER = "PUBLIC_URL or SITE_URL is still a placeholder: fill in both wrangler.toml files first.";

test.each<{ what: string; to?: "sandbox"; key?: string; of?: typeof settingsOf; says: string }>([
  { what: "no key", says: NO_KEY },
  { what: "a publishable key", key: "pk_live_0123456789abcdef", says: notA("live", "production") },
  { what: "a live key in the sandbox", to: "sandbox", key: LIVE, says: notA("test", "sandbox") },
  { what: "placeholders", key: LIVE, of: unedited, says: PLACEHOLDER },
])("a command for Stripe refuses $what in one sentence", async (row) => {
  const { to = "production", key, of = settingsOf, says } = row;
  const target = async () => targetOf(to, { settingsOf: of, env: { STRIPE_SECRET_KEY: key } });
  expect(await target().catch(messageOf)).toBe(says);
});

test.each([
  { text: "vars = = 1", sentence: /wrangler\.toml:2: Invalid TOML document/ },
  { text: "vars = 1", sentence: /wrangler\.toml configuration:\n.*"vars" should be an object/ },
])("an invalid wrangler.toml with $text is reported with its file, an unexpected error with its stack", async (row) => {
  const file = join(mkdtempSync(join(tmpdir(), "settings-")), "wrangler.toml");
  writeFileSync(file, `name = "a"\n${row.text}`);
  const read = async () => readWorkerSettings(file);
  expect(await read().catch(messageOf)).toMatch(row.sentence);
  expect(messageOf(new TypeError("x is undefined"))).toMatch(/^TypeError: x is undefined\n {4}at /);
});
