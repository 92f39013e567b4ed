import { cp, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { WORKERS, workerNames } from "../../../../tools/build";
import { portOf, servedHost } from "../../../../tools/start/addresses";
import { choicesOf } from "../../../../tools/start/choices";
import { readLocalSettings } from "../../../../tools/start/local-settings";
import { makeWritable, stateFolderOf } from "../../../../tools/start/state-folder";
import { testModeOf } from "../../../../tools/start/test-mode";
import { root } from "../../../../tools/wrangler/wrangler";
import { outcomeOf } from "../outcome";

/* What npm start does with the environment and .dev.vars: where settings come from, and how a wrong choice ends. */

/** A folder with the repository's wrangler.toml files, and others by their paths. */
async function repositoryWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  for (const { folder: of } of Object.values(WORKERS))
    await cp(join(root, of, "wrangler.toml"), join(folder, of, "wrangler.toml"));
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}

const SECRET = "sk_test_0123456789abcdef";
const PUBLISHABLE = "pk_test_0123456789abcdef";
const PUBLIC_KEY = "STRIPE_PUBLISHABLE_KEY";
const KEYS = { STRIPE_SECRET_KEY: SECRET, [PUBLIC_KEY]: PUBLISHABLE };

/** Makes the choices in a checkout with this .dev.vars, and with a Stripe that accepts every test mode. */
async function choose(environment: Record<string, string>, devVars = "") {
  const folder = await repositoryWith({ ".dev.vars": devVars });
  const asked: string[] = [];
  const accept = async (given: NodeJS.ProcessEnv) => {
    asked.push(String(given.STRIPE_SECRET_KEY));
    return testModeOf(given);
  };
  const made: { choices?: Awaited<ReturnType<typeof choicesOf>> } = {};
  const outcome = await outcomeOf(async () => {
    made.choices = await choicesOf(environment, { folder, accept });
    return true;
  });
  return { ...outcome, ...made, asked };
}

const NOT_BOTH = "npm start needs both of Stripe's test mode keys, and never a live key.";
const NO_TEST_KEY = `STRIPE_SECRET_KEY is not a test key: ${NOT_BOTH}`;
const LIVE = `STRIPE_SECRET_KEY=rk_live_0123456789abcdef\nSTRIPE_PUBLISHABLE_KEY=${PUBLISHABLE}`;
const wrongPort = (PORT: string) =>
  `PORT is ${PORT}: set it to a number from 1 to 65532, such as 9000. The three ports after it are used too.`;

test.each<{ environment?: Record<string, string>; devVars?: string; last: string }>([
  { environment: { HOST: "a b" }, last: "HOST is a b: set it to 0.0.0.0, or to this machine's name or IP address." },
  { environment: { ...KEYS, PORT: "1e3" }, devVars: LIVE, last: wrongPort("1e3") },
  { environment: { PORT: "0" }, last: wrongPort("0") },
  { environment: { PORT: "65533" }, last: wrongPort("65533") },
  { devVars: LIVE, last: NO_TEST_KEY },
  { environment: { ...KEYS, STRIPE_SECRET_KEY: "sk_test_short" }, last: NO_TEST_KEY },
  { environment: { STRIPE_SECRET_KEY: SECRET }, last: `${PUBLIC_KEY} is missing: ${NOT_BOTH}` },
  { environment: { ...KEYS, [PUBLIC_KEY]: "pk_live_1" }, last: `${PUBLIC_KEY} is not a test key: ${NOT_BOTH}` },
])("npm start with $environment and .dev.vars of $devVars ends with 1: $last", async (row) => {
  const outcome = await choose(row.environment ?? {}, row.devVars);
  expect({ exitCode: outcome.exitCode, last: outcome.last }).toEqual({ exitCode: 1, last: row.last });
});

test("without keys Stripe is not asked; both test keys are shown to it once, and reach the site and the API", async () => {
  const without = await choose({});
  expect([without.asked, without.choices?.testMode]).toEqual([[], undefined]);
  expect(without.choices?.varsOf("site").STRIPE_JS_URL).toBe("http://localhost:8789/endive/stripe.js");
  const { choices, asked, lines } = await choose(KEYS);
  expect(asked).toEqual([SECRET]);
  expect(lines[0]).toMatch(/^Settings from the envir/);
  expect(choices?.varsOf("subscription-api")).toMatchObject(KEYS);
  expect(choices?.varsOf("site")).toMatchObject({ STRIPE_PUBLISHABLE_KEY: PUBLISHABLE });
  expect(choices?.varsOf("site").STRIPE_SECRET_KEY, "the site needs no secret key").toBeUndefined();
  expect(choices?.varsOf("stripe-simulator")).not.toMatchObject({ STRIPE_PUBLISHABLE_KEY: PUBLISHABLE });
});

test.each([
  { HOST: "", ip: undefined, name: undefined },
  { HOST: "::1", ip: undefined, name: undefined },
  { HOST: "192.168.0.7", ip: "0.0.0.0", name: "192.168.0.7" },
  { HOST: "fd00::7", ip: "::", name: "[fd00::7]" },
  { HOST: "my-laptop.local", ip: "0.0.0.0", name: "my-laptop.local" },
])("HOST=$HOST listens on $ip and is called $name by all Workers", async ({ HOST, ip, name }) => {
  const { choices } = await choose({ HOST });
  expect(choices?.host).toEqual(ip && { ip, name });
  expect(workerNames.map((worker) => choices?.varsOf(worker).HOST)).toEqual([name, name, name]);
});

test("HOST=0.0.0.0 and HOST=:: show the first IPv4 address that other devices can reach", () => {
  const ipv4 = { family: "IPv4" as const, internal: false, netmask: "", mac: "", cidr: null };
  const lo = [{ ...ipv4, address: "127.0.0.1", internal: true }];
  const ipv6 = { ...ipv4, family: "IPv6" as const, address: "fd00::7", scopeid: 0 };
  const wire = [ipv6, { ...ipv4, address: "192.168.0.7" }];
  const radio = [{ ...ipv4, address: "10.0.0.7" }];
  for (const ip of ["0.0.0.0", "::"]) {
    expect(servedHost({ HOST: ip }, { lo, wire, radio })).toEqual({ ip, name: "192.168.0.7" });
    expect(servedHost({ HOST: ip }, { lo })).toEqual({ ip, name: "localhost" });
  }
});

test.each([
  { PORT: "", port: 8787, folders: ["state", "state-test-mode"] },
  { PORT: "65532", port: 65_532, folders: ["state-65532", "state-test-mode-65532"] },
])("PORT=$PORT means port $port, which has its own state, and so has test mode", ({ PORT, port, folders }) => {
  expect(portOf({ PORT })).toBe(port);
  expect([false, true].map((isTestMode) => basename(stateFolderOf(port, isTestMode)))).toEqual(folders);
});

test("a missing folder is made; one that cannot be is reported with the existing path that prevents it", async () => {
  const top = await mkdtemp(join(tmpdir(), "state-"));
  const [folder, file] = [join(top, "a/b"), join(top, "a-file")];
  makeWritable(folder);
  expect((await stat(folder)).isDirectory()).toBe(true);
  await writeFile(file, "");
  const owner = `make this user its owner with sudo chown -R "$USER" "${file}"`;
  const remedy = platform === "win32" ? "let this user write there" : owner;
  expect(() => makeWritable(join(file, "state"))).toThrow(`${file} cannot be written (ENOTDIR): ${remedy}`);
});

const API_VARS = "functions/subscription-api/.dev.vars";

type Given = { files?: Record<string, string>; environment?: Record<string, string>; port?: number };
const settingsOf = async ({ files = {}, environment = {}, port = 8787 }: Given) =>
  readLocalSettings(environment, port, await repositoryWith(files));

test.each<Given & { what: string }>([
  { what: "without .dev.vars", environment: { PATH: "/bin" } },
  { what: "with a name of a binding in the environment", environment: { EMAIL: "ada@example.com" } },
  { what: "with HOST, which npm start reads itself", environment: { HOST: "0.0.0.0" } },
  { what: "with an empty value, which counts as absent", environment: { SESSION_SECRET: "" } },
])("$what, the settings are wrangler.toml's, on the chosen ports", async ({ what: _, ...given }) => {
  const { vars, lines, stripe } = await settingsOf({ ...given, port: 9000 });
  expect(vars.site).toMatchObject({
    SITE_URL: "http://localhost:9000",
    SUBSCRIPTION_API_URL: "http://localhost:9001",
    STRIPE_JS_URL: "http://localhost:9002/endive/stripe.js",
  });
  expect({ lines, stripe }).toEqual({ lines: [], stripe: undefined });
});

const BY_ENVIRONMENT = { SITE_URL: "http://localhost:2", AUTOMATIC_TAX: "true" };

test.each<Given & { what: string; vars: object; lines: string[] }>([
  {
    what: "of the .dev.vars in its folder",
    files: { ".dev.vars": 'CONSOLE_URL="http://console.test"', [API_VARS]: "OPERATOR_TOKEN=a-token" },
    vars: { site: { CONSOLE_URL: "http://console.test" }, "subscription-api": { OPERATOR_TOKEN: "a-token" } },
    lines: ["Settings from .dev.vars: CONSOLE_URL", `Settings from ${API_VARS}: OPERATOR_TOKEN`],
  },
  {
    what: "of .env without .dev.vars, as with wrangler dev",
    files: { ".env": "SESSION_SECRET=a-secret" },
    vars: { site: { SESSION_SECRET: "a-secret" } },
    lines: ["Settings from .env: SESSION_SECRET"],
  },
  {
    what: "of the environment before .dev.vars, also one that wrangler.toml leaves out",
    files: { ".dev.vars": "SITE_URL=http://localhost:1" },
    environment: BY_ENVIRONMENT,
    vars: { site: BY_ENVIRONMENT, "subscription-api": BY_ENVIRONMENT },
    lines: ["Settings from .dev.vars: SITE_URL", "Settings from the environment: SITE_URL, AUTOMATIC_TAX"],
  },
])("a Worker has the settings $what", async ({ what: _, vars, lines, ...given }) => {
  expect(await settingsOf(given)).toMatchObject({ vars, lines });
});

test.each([".dev.vars", API_VARS])("one copied %s with Stripe's test keys is enough for both Workers", async (path) => {
  const example = await readFile(join(root, `${path}.example`), "utf8");
  expect((await settingsOf({ files: { [path]: example } })).lines, "nothing is entered").toEqual([]);
  const filledIn = example.replaceAll(/^# (STRIPE_\w+)=(.+)…$/gm, "$1=$2of_mine");
  expect((await settingsOf({ files: { [path]: filledIn } })).stripe).toEqual({
    STRIPE_SECRET_KEY: "sk_test_of_mine",
    STRIPE_PUBLISHABLE_KEY: "pk_test_of_mine",
    STRIPE_WEBHOOK_SECRET: "whsec_of_mine",
  });
});

const OWN_API = "SUBSCRIPTION_API_URL=https://api.acme.com";
const ABOUT_API = ["SUBSCRIPTION_API_IDEMPOTENT", "SUBSCRIPTION_API_PROMISES", "CUSTOMER_PORTAL_URL", "CONSOLE_URL"];
const ALL_OF_OWN_API = [OWN_API, ...ABOUT_API.map((name) => `${name}=true`)].join("\n");
const STRIPE_URLS = ["STRIPE_JS_URL", "STRIPE_API_URL"];

test.each<{ what: string; devVars?: string; environment?: Record<string, string>; because?: string; reset: string[] }>([
  { what: "the same API", environment: { SUBSCRIPTION_API_URL: "http://localhost:9001" }, reset: [] },
  { what: "another API, and all about it at one place", devVars: ALL_OF_OWN_API, reset: [] },
  {
    what: "a third API, where something is said about the second",
    devVars: `${OWN_API}\nSUBSCRIPTION_API_IDEMPOTENT=true`,
    environment: { SUBSCRIPTION_API_URL: "https://api.beta.com" },
    because: "SUBSCRIPTION_API_URL is from the environment",
    reset: ABOUT_API,
  },
  {
    what: "another key of Stripe",
    devVars: "STRIPE_PUBLISHABLE_KEY=pk_test_of_mine",
    because: "STRIPE_PUBLISHABLE_KEY is from .dev.vars",
    reset: STRIPE_URLS,
  },
])("with $what, the site has these settings at their defaults: $reset", async (row) => {
  const { devVars = "", environment, because, reset } = row;
  const files = { ".dev.vars": devVars };
  const { vars, lines } = await settingsOf({ files, port: 9000, ...(environment && { environment }) });
  expect([...ABOUT_API, ...STRIPE_URLS].filter((name) => vars.site[name] === "")).toEqual(reset);
  const line = `Back at their defaults, because ${because}: ${reset.join(", ")}`;
  expect(lines.filter((one) => !one.startsWith("Settings"))).toEqual(because ? [line] : []);
});

test.each([
  // The secret key is that API's own.
  { what: "another API", file: ".dev.vars", text: `${OWN_API}\nSTRIPE_PUBLISHABLE_KEY=pk_test_of_mine` },
  { what: "a copy of wrangler.toml's own key", file: API_VARS, text: "STRIPE_SECRET_KEY=sk_test_local" },
])("$what chooses no test mode of Stripe", async ({ file, text }) => {
  expect((await settingsOf({ files: { [file]: text } })).stripe).toBeUndefined();
});
