import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sentenceOf } from "../../../tools/failures";
import { keepRelease, parseReleases } from "../../../tools/releases/kept-releases";
import { versionTagged } from "../../../tools/releases/rollback";
import { hostOf, onPorts, portOf } from "../../../tools/start/addresses";
import { shownOf } from "../../../tools/start/log-lines";
import { testModeOf } from "../../../tools/start/test-mode";
import { targetOf } from "../../../tools/stripe-setup/target";
import { readWorkerSettings, stageOf } from "../../../tools/wrangler/worker-settings";
import { failureIn } from "../../../tools/wrangler/wrangler";

const lan = { address: "192.168.0.7", netmask: "", mac: "", cidr: null, internal: false, family: "IPv4" } as const;
const loopback = { ...lan, address: "127.0.0.1", internal: true };

test.each([
  [undefined, undefined],
  ["127.0.0.1", undefined],
  ["::1", undefined],
  ["0.0.0.0", { ip: "0.0.0.0", name: "192.168.0.7" }],
  ["my-machine.local", { ip: "0.0.0.0", name: "my-machine.local" }],
  ["fd00::3", { ip: "::", name: "[fd00::3]" }],
])("HOST=%s makes npm start serve %j", (HOST, host) => {
  expect(hostOf({ HOST }, { lo: [loopback], eth0: [lan] })).toEqual(host);
});

test("PORT moves the three Workers and the URLs in their settings, and a wrong PORT or HOST is named", () => {
  const vars = { API: "http://localhost:8788", JS: "http://localhost:8789/a.js", OTHER: "http://localhost:3000", N: 1 };
  expect(onPorts(vars, portOf({ PORT: "9000" }))).toEqual({
    ...vars,
    API: "http://localhost:9001",
    JS: "http://localhost:9002/a.js",
  });
  for (const PORT of ["http", "0", "65534"])
    expect(() => portOf({ PORT })).toThrow(`PORT is ${PORT}: set it to a number`);
  expect(() => hostOf({ HOST: "http://x" })).toThrow("HOST is http://x: set it to 0.0.0.0");
});

const line = (fields: object) => JSON.stringify({ level: "info", event: "request", method: "GET", ...fields });

test.each([
  [line({ status: 404, route: "/*", path: "/nothing" }), "GET /nothing 404"],
  [line({ status: 503, route: "/" }), "GET / 503"],
  [line({ status: 303, method: "POST", route: "/subscription" }), undefined],
  [line({ event: "page_rendered", status: 200 }), undefined],
  [line({ level: "warn", event: "message_failed" }), line({ level: "warn", event: "message_failed" })],
  ["[wrangler:info] GET / 200 OK (12ms)", undefined],
  ["✘ [ERROR] Build failed", "✘ [ERROR] Build failed"],
])("npm start shows the log line %s as %s", (written, shown) => {
  expect(shownOf(written)).toBe(shown);
});

const SECRET = "sk_test_0123456789abcdef";
const PUBLISHABLE = "pk_test_0123456789abcdef";

test("in test mode each Worker gets only the variables that it needs", () => {
  const { site, "subscription-api": api } = testModeOf({
    PATH: "/bin",
    STRIPE_SECRET_KEY: SECRET,
    STRIPE_PUBLISHABLE_KEY: PUBLISHABLE,
  });
  const STRIPE_API_URL = "https://api.stripe.com";
  expect(api).toEqual({ STRIPE_API_URL, STRIPE_PUBLISHABLE_KEY: PUBLISHABLE, STRIPE_SECRET_KEY: SECRET });
  expect(site).toEqual({
    STRIPE_API_URL,
    STRIPE_PUBLISHABLE_KEY: PUBLISHABLE,
    STRIPE_JS_URL: "https://js.stripe.com/endive/stripe.js",
  });
});

test.each([
  [SECRET, "", "STRIPE_PUBLISHABLE_KEY is missing: npm start takes both keys"],
  ["sk_live_0123456789abcdef", PUBLISHABLE, "STRIPE_SECRET_KEY is no test key"],
  [SECRET, "pk_live_0123456789abcdef", "STRIPE_PUBLISHABLE_KEY is no test key"],
  ["sk_test_short", PUBLISHABLE, "STRIPE_SECRET_KEY is no test key"],
])("npm start refuses the keys %s and %s", (STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, sentence) => {
  const environment = { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY };
  expect(() => testModeOf(environment)).toThrow(sentence);
  expect(() => testModeOf(environment)).not.toThrow("0123456789abcdef");
});

test.each([
  ["production", undefined, "Set STRIPE_SECRET_KEY"],
  ["production", PUBLISHABLE, "STRIPE_SECRET_KEY is no live key"],
  ["production", SECRET, "STRIPE_SECRET_KEY is no live key"],
  ["production", "rk_live_0123456789abcdef", "PUBLIC_URL or SITE_URL is still a placeholder"],
  ["sandbox", "rk_live_0123456789abcdef", "STRIPE_SECRET_KEY is no test key"],
] as const)("stripe:setup in %s refuses the key %s before any request", (place, STRIPE_SECRET_KEY, sentence) => {
  expect(() => targetOf(place, { STRIPE_SECRET_KEY })).toThrow(sentence);
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
  const files = (await readdir(built, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual([
    "$-four.js",
    "$-three.js",
    "$-two.js",
    "four.css",
    "same.js",
    "three.css",
    "two.css",
  ]);
  expect(await readFile(join(built, "same.js"), "utf8")).toBe("four");
  const releases = parseReleases(await readFile(join(built, "../releases.json"), "utf8"));
  expect(releases.map(({ version }) => version)).toEqual(["four", "three", "two"]);
  await rm(folder, { recursive: true });
});

const version = (id: string, day: number, annotations: Record<string, string>) => ({
  id,
  metadata: { created_on: `2026-01-0${day}T00:00:00Z` },
  annotations,
});

test.each([
  ["aaaaaaaaaaaa", { id: "again", hasOldSecrets: true }],
  ["bbbbbbbbbbbb", { id: "bad", hasOldSecrets: false }],
  ["cccccccccccc", undefined],
])("rolling back to the tag %s deploys %o", (tag, found) => {
  const list = [
    version("bad", 5, { "workers/tag": "bbbbbbbbbbbb" }),
    version("first", 1, { "workers/tag": "aaaaaaaaaaaa" }),
    version("again", 3, { "workers/tag": "aaaaaaaaaaaa" }),
    version("secret", 4, { "workers/triggered_by": "secret" }),
  ];
  expect(versionTagged(tag, JSON.stringify(list))).toEqual(found);
});

test.each([
  ["In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN", "Cloudflare refuses the login: "],
  ["✘ [ERROR] Authentication error [code: 10000]", "Cloudflare refuses the login: run npx wrangler login"],
  ["✘ [ERROR] Something\n  new\n\nIf you think this is a bug", "Wrangler says: Something new"],
])("Wrangler's output %j is told as %j", (output, sentence) => {
  expect(failureIn(output)).toContain(sentence);
});

test("two stages at once, a wrong option, and an unexpected error, are told as such", () => {
  expect(() => stageOf({ staging: true, production: true })).toThrow("Choose one of --staging and --production.");
  expect(sentenceOf(Object.assign(new Error("Unknown option '--x'"), { code: "ERR_PARSE_ARGS" }))).toBe(
    "Unknown option '--x'",
  );
  expect(sentenceOf(new TypeError("x is undefined"))).toMatch(/^TypeError: x is undefined\n {4}at /);
});

test("an invalid wrangler.toml is told with its file and line, and without a stack", async () => {
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  const told = async (text: string) => {
    await writeFile(join(folder, "wrangler.toml"), text);
    try {
      readWorkerSettings(join(folder, "wrangler.toml"));
    } catch (error) {
      return sentenceOf(error);
    }
  };
  expect(await told('name = "a"\nvars = = 1')).toMatch(/wrangler\.toml:2: Invalid TOML document/);
  expect(await told('name = "a"\nvars = 1')).toMatch(/wrangler\.toml configuration:\n.*"vars" should be an object/);
  await rm(folder, { recursive: true });
});
