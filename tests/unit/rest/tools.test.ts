import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { sentenceOf } from "../../../tools/failures";
import { keepRelease, parseReleases } from "../../../tools/releases/kept-releases";
import { versionTagged } from "../../../tools/releases/rollback";
import { hostOf, onPorts, portOf } from "../../../tools/start/addresses";
import { shownOf } from "../../../tools/start/log-lines";
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

const lan = { address: "192.168.0.7", netmask: "", mac: "", cidr: null, internal: false, family: "IPv4" } as const;
const loopback = { ...lan, address: "127.0.0.1", internal: true };

test.each([
  [undefined, undefined],
  ["127.0.0.1", undefined],
  ["0.0.0.0", { ip: "0.0.0.0", name: "192.168.0.7" }],
  ["my-machine.local", { ip: "0.0.0.0", name: "my-machine.local" }],
  ["fd00::3", { ip: "::", name: "[fd00::3]" }],
])("HOST=%s makes npm start serve %j", (HOST, host) => {
  expect(hostOf({ HOST }, { lo: [loopback], eth0: [lan] })).toEqual(host);
});

test("PORT moves the three Workers and the URLs in their settings", () => {
  const vars = { API: "http://localhost:8788", JS: "http://localhost:8789/a.js", OTHER: "http://localhost:3000", N: 1 };
  const moved = { ...vars, API: "http://localhost:9001", JS: "http://localhost:9002/a.js" };
  expect(onPorts(vars, portOf({ PORT: "9000" }))).toEqual(moved);
});

const line = (fields: object) => JSON.stringify({ level: "info", event: "request", method: "GET", ...fields });
const warning = line({ level: "warn", event: "message_failed" });

test.each([
  [line({ status: 404, route: "/*", path: "/nothing" }), "GET /nothing 404"],
  [line({ status: 503, route: "/" }), "GET / 503"],
  [line({ status: 303, method: "POST", route: "/subscription" }), undefined],
  [line({ event: "page_rendered", status: 200 }), undefined],
  [warning, warning],
  ["[wrangler:info] GET / 200 OK (12ms)", undefined],
  ["✘ [ERROR] Build failed", "✘ [ERROR] Build failed"],
])("npm start shows the log line %s as %s", (written, shown) => {
  expect(shownOf(written)).toBe(shown);
});

const KEY = "_0123456789abcdef";
const testMode = (secret: string, publishable: string) =>
  testModeOf({ PATH: "/bin", STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable });
const target = (place: "production" | "sandbox", STRIPE_SECRET_KEY?: string) => targetOf(place, { STRIPE_SECRET_KEY });

test("in test mode each Worker gets only the variables that it needs", () => {
  const { site, "subscription-api": api } = testMode(`sk_test${KEY}`, `pk_test${KEY}`);
  const shared = { STRIPE_API_URL: "https://api.stripe.com", STRIPE_PUBLISHABLE_KEY: `pk_test${KEY}` };
  expect(api).toEqual({ ...shared, STRIPE_SECRET_KEY: `sk_test${KEY}` });
  expect(site).toEqual({ ...shared, STRIPE_JS_URL: "https://js.stripe.com/endive/stripe.js" });
});

test.each<[what: string, work: () => unknown, sentence: string]>([
  ["a PORT that is no number", () => portOf({ PORT: "http" }), "PORT is http: set it to a number"],
  ["a PORT too low", () => portOf({ PORT: "0" }), "PORT is 0: set it to a number"],
  ["a PORT too high for three", () => portOf({ PORT: "65534" }), "PORT is 65534: set it to a number"],
  ["a HOST that is a URL", () => hostOf({ HOST: "http://x" }), "HOST is http://x: set it to 0.0.0.0"],
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

test("a build has the files of the two releases before it, and lists three releases", async () => {
  const folder = await mkdtemp(join(tmpdir(), "releases-"));
  const [built, kept] = [join(folder, "public/build"), join(folder, ".releases")];
  for (const version of ["one", "two", "three", "four"]) {
    await rm(built, { recursive: true, force: true });
    for (const file of [`routes/$-${version}.js`, `_assets/${version}.css`, "same.js"]) {
      await mkdir(dirname(join(built, file)), { recursive: true });
      await writeFile(join(built, file), version);
    }
    await keepRelease(built, version, kept);
  }
  const files = (await readdir(built, { recursive: true })).map((name) => basename(name)).sort();
  const expected = ["$-four.js", "$-three.js", "$-two.js", "four.css", "same.js", "three.css", "two.css"];
  expect(files.filter((name) => name.includes("."))).toEqual(expected);
  expect(await readFile(join(built, "same.js"), "utf8")).toBe("four");
  const releases = parseReleases(await readFile(join(built, "../releases.json"), "utf8"));
  expect(releases.map(({ version }) => version)).toEqual(["four", "three", "two"]);
});

test.each([
  ["a", { id: "again", hasOldSecrets: true }],
  ["b", { id: "bad", hasOldSecrets: false }],
  ["c", undefined],
])("rolling back to the tag %s deploys %o", (tag, found) => {
  const versions: [id: string, day: number, annotations: object][] = [
    ["bad", 5, { "workers/tag": "b" }],
    ["first", 1, { "workers/tag": "a" }],
    ["again", 3, { "workers/tag": "a" }],
    ["secret", 4, { "workers/triggered_by": "secret" }],
  ];
  const metadata = (day: number) => ({ created_on: `2026-01-0${day}T00:00:00Z` });
  const list = versions.map(([id, day, annotations]) => ({ id, metadata: metadata(day), annotations }));
  expect(versionTagged(tag, JSON.stringify(list))).toEqual(found);
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
