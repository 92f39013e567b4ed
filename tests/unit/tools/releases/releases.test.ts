import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ToolError } from "../../../../tools/failures";
import type { Neighbors } from "../../../../tools/neighbors";
import { deploy } from "../../../../tools/releases/deploy";
import { PACKAGES } from "../../../../tools/releases/prices";
import { rollback } from "../../../../tools/releases/rollback";
import { root, type Stage } from "../../../../tools/wrangler/wrangler";
import {
  type Answer,
  COMMIT,
  checkoutWith,
  cloudflare,
  failing,
  hostsOf,
  MIGRATION,
  neighborsWith,
  OPERATOR,
  REPRICED,
  repository,
  SOLD,
  siteAlone,
  type Version,
} from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run deploy` and `npm run rollback`: what is live when they end, and what their last line says. */

type Setup = {
  account?: NonNullable<Parameters<typeof cloudflare>[0]>;
  others?: Partial<Neighbors>;
  api?: Answer;
  stage?: Stage;
  keepsPrices?: boolean;
  commit?: string;
};

/** Runs a command beside an API whose catalog takes every change. `changes` are in their order. */
async function ran(command: (beside: Neighbors) => Promise<boolean>, { account, others, api, stage }: Setup) {
  const { wrangler, changes, asked } = cloudflare({ ...(stage && { stage }), ...account });
  const takesPrices: Answer = (_, { body }) => {
    const { packages = [], retired = [] } = JSON.parse(String(body));
    changes.push(...retired.map((id: string) => `retired ${id}`));
    changes.push(...packages.map((one: (typeof PACKAGES)[number]) => `${one.name} ${one.price_cents}`));
    return Response.json({ prices: packages });
  };
  const fetch = hostsOf({
    "api.acme.com": (path, init) =>
      path.endsWith("/prices") ? Response.json({ prices: [] }) : (api ?? takesPrices)(path, init),
  });
  const beside = neighborsWith({ wrangler, fetch, env: OPERATOR, ...others }, stage);
  return { ...(await outcomeOf(() => command(beside))), changes, asked };
}

const NEW_PRICES = { account: { packages: REPRICED } };
/** This release's prices of the two plans that cost something else. */
const [LOWER = "", HIGHER = ""] = PACKAGES.map(({ name, price_cents }) => `${name} ${price_cents}`);
/** This release no longer lists one. */
const OLD_PLAN = { packages: [...SOLD, ...SOLD.slice(0, 1).map((one) => ({ ...one, id: "old" }))] };
const NO_TOKEN = { others: { env: {} } };
const endsWith = (command: string) => `To continue, correct the problem above, then: npm run ${command}`;

const deployed = (setup: Setup) => ran((beside) => deploy(setup.stage ?? "production", beside), setup);
const DEPLOY_AGAIN = endsWith("deploy production");
const UPLOADED = ["api deployed", "site deployed"];

test.each<Setup & { what: string; changes: string[] }>([
  { what: "there is no token, and no price is new", ...NO_TOKEN, changes: UPLOADED },
  { what: "a migration is new", account: { migrations: [] }, changes: ["migrations", ...UPLOADED] },
  { what: "two prices are new", ...NEW_PRICES, changes: ["api deployed", LOWER, "site deployed", HIGHER] },
  { what: "a plan goes", account: OLD_PLAN, changes: [...UPLOADED, "retired old"] },
  { what: "the stage is staging", stage: "staging", changes: UPLOADED },
])("a deployment is whole if $what", async ({ changes: expected, ...setup }) => {
  const last = `Everything is live. To check it: npm run smoke ${setup.stage ?? "production"}`;
  expect(await deployed(setup)).toMatchObject({ exitCode: 0, last, changes: expected });
});

const buildBrowser = () => Promise.reject(new ToolError("Unexpected token"));

test.each<Setup & { what: string; says: RegExp }>([
  { what: "a file is new", others: { git: repository({ status: "?? app/new.ts\0" }) }, says: /uncommitted changes/ },
  { what: "a secret is missing", account: { secrets: { site: [], api: [] } }, says: /SESSION_SECRET is missing/ },
  { what: "a price is new and there is no token", ...NEW_PRICES, ...NO_TOKEN, says: /read -rs OPERATOR_TOKEN/ },
  { what: "the build fails", others: { buildBrowser }, says: /Unexpected token/ },
])("a deployment changes nothing if $what", async ({ says, ...setup }) => {
  const [last, output] = [`Nothing was changed in production. ${DEPLOY_AGAIN}`, expect.stringMatching(says)];
  expect(await deployed(setup)).toMatchObject({ exitCode: 1, last, changes: [], output });
});

const [CHEAPER, DEARER] = PACKAGES.map(({ name }) => name);
const STEPS = [
  `migrations: ${MIGRATION}`,
  `subscription API: commit ${COMMIT}`,
  `prices: ${CHEAPER}`,
  `site: commit ${COMMIT}`,
  `prices: ${DEARER}`,
];
const refuses =
  (name = ""): Answer =>
  (_, { body }) =>
    String(body).includes(name) ? new Response("Stripe is down", { status: 503 }) : Response.json({ prices: [] });

test.each<{ what: string; at?: RegExp; api?: Answer; done: number }>([
  { what: "the migration", at: /migrations apply/, done: 0 },
  { what: "the API's upload", at: /^api deploy/, done: 1 },
  { what: "the lower price", api: refuses(CHEAPER), done: 2 },
  { what: "the site's upload", at: /^site deploy/, done: 3 },
  { what: "the higher price", api: refuses(DEARER), done: 4 },
])("a deployment in which $what fails ends with what is live and what is not", async ({ done, at, ...setup }) => {
  const faults = at ? failing(at).account.faults : [];
  const account = { migrations: [], packages: REPRICED, faults };
  const { exitCode, lines, changes } = await deployed({ account, ...setup });
  const end = lines.slice(lines.lastIndexOf("Live in production:"));
  expect(end.map((line) => line.replace(/^ +| \$.*/g, ""))).toEqual([
    "Live in production:",
    ...(done > 0 ? STEPS.slice(0, done) : ["nothing of this release"]),
    "Not live:",
    ...STEPS.slice(done),
    DEPLOY_AGAIN,
  ]);
  expect({ exitCode, siteIsLive: changes.includes("site deployed") }).toEqual({ exitCode: 1, siteIsLive: done > 3 });
});

test("a deployment in which the second migration fails says that the first one is live", async () => {
  const { wrangler: applying } = cloudflare({ migrations: [] });
  const wrangler: typeof applying = (args, options) => {
    const answer = applying(args, options);
    return { ...answer, succeeded: !args.includes("apply") };
  };
  const { output } = await deployed({ others: { folder: checkoutWith(MIGRATION, "0002_second.sql"), wrangler } });
  expect(output).toMatch(/Live in production:\n {2}migrations: 0001_first_release\.sql\nNot live:/);
});

test("a release hands both Workers its commit, and its subject cut to the 100 characters that Cloudflare takes", async () => {
  const subject = "A release ".repeat(20).trim();
  const { asked } = await deployed({ others: { git: repository({ log: `${COMMIT} ${subject}\n` }) } });
  const message = `${COMMIT} ${subject}`.slice(0, 100);
  const handed = `deploy --tag ${COMMIT} --message ${message} --define COMMIT:"${COMMIT}"`;
  expect(asked.filter((line) => line.includes(" deploy "))).toEqual([`api ${handed}`, `site ${handed}`]);
});

/** A Worker's versions in their order: a commit's, or one that a secret made ("secret"). */
const versionsOf = (...kinds: string[]): Version[] =>
  kinds.map((kind, index) => {
    const upload = { "workers/triggered_by": "upload", "workers/tag": kind };
    const annotations: Version["annotations"] = kind === "secret" ? { "workers/triggered_by": kind } : upload;
    return { id: `v${index + 1}`, metadata: { created_on: `2026-01-0${index + 1}T00:00:00Z` }, annotations };
  });
const OTHER = "ffffffffffff";
const both = (...kinds: string[]) => ({ versions: { site: versionsOf(...kinds), api: versionsOf(...kinds) } });
const newestFirst = () => versionsOf("secret", COMMIT, OTHER).reverse();
const git = repository({ show: readFileSync(join(root, "app/contract/plans.ts"), "utf8") });

function rolledBack({ account, others, keepsPrices = false, commit = COMMIT, ...setup }: Setup) {
  const back = (beside: Neighbors) => rollback("production", commit, keepsPrices, beside);
  return ran(back, { ...setup, account: { ...both(COMMIT, OTHER), ...account }, others: { git, ...others } });
}

const BACK_AGAIN = endsWith(`rollback production ${COMMIT}`);
const NO_PRICES = { ...failing(/d1/), keepsPrices: true, others: { env: {}, git: () => undefined } };

test.each<Setup & { what: string; id?: string; expected?: string[] }>([
  { what: "the commit is typed whole", commit: COMMIT.padEnd(40, "0") },
  { what: "a secret changed between", account: both(COMMIT, "secret", COMMIT, OTHER), id: "v3" },
  { what: "the newest is listed first", account: { versions: { site: newestFirst(), api: newestFirst() } }, id: "v2" },
  { what: "a price was raised and one lowered", ...NEW_PRICES, expected: [LOWER, "site v1", HIGHER, "api v1"] },
  { what: "it keeps prices, without database and API", ...NO_PRICES },
  { what: "the site is alone", others: { settingsOf: siteAlone, env: {} }, expected: ["site v1"] },
])("a rollback is whole if $what", async ({ id = "v1", expected = [`site ${id}`, `api ${id}`], ...setup }) => {
  const last = "You cannot set secrets until the next deployment.";
  expect(await rolledBack(setup)).toMatchObject({ exitCode: 0, last, changes: expected });
});

test.each<Setup & { what: string; says: RegExp }>([
  {
    what: "a secret of the API alone changed since",
    account: { versions: { site: versionsOf(COMMIT), api: versionsOf(COMMIT, "secret", OTHER) } },
    says: /✗ subscription API: a secret has changed since, and this version has the old one\. .*git switch --detach/,
  },
  { what: "no version has the commit", account: both(OTHER), says: /✗ site: no version has the tag/ },
  { what: "the clone lacks the commit", others: { git: () => undefined }, says: /git fetch --unshallow/ },
  { what: "prices differ and there is no token", ...NEW_PRICES, ...NO_TOKEN, says: /read -rs OPERATOR_TOKEN/ },
  { what: "Cloudflare does not answer", ...failing(/^api versions list/), says: /A fetch request failed/ },
])("a rollback changes nothing if $what", async ({ says, ...setup }) => {
  const [last, output] = [`Nothing was changed in production. ${BACK_AGAIN}`, expect.stringMatching(says)];
  expect(await rolledBack(setup)).toMatchObject({ exitCode: 1, last, changes: [], output });
});

test.each<Setup & { what: string; changes: string[]; says: RegExp }>([
  {
    ...{ what: "the API refuses the lower price", ...NEW_PRICES, api: refuses(""), changes: [] },
    says: /add -- --keep-prices to the command below/,
  },
  {
    ...{ what: "the site's rollback fails", ...failing(/^site rollback/), keepsPrices: true, changes: [] },
    says: /Live in production:\n {2}nothing of this release\nNot live:\n {2}site: .*\n {2}subscription API:/,
  },
  {
    ...{ what: "the API's rollback fails", ...failing(/^api rollback/), changes: ["site v1"] },
    says: /Live in production:\n {2}site: .*\nNot live:\n {2}subscription API: /,
  },
])("a rollback in which $what ends with what is live", async ({ changes, says, ...setup }) => {
  const last = setup.keepsPrices ? `${BACK_AGAIN} -- --keep-prices` : BACK_AGAIN;
  const output = expect.stringMatching(says);
  expect(await rolledBack(setup)).toMatchObject({ exitCode: 1, last, changes, output });
});

test.each(["HEAD", "0123456789a", "0123456789abcdefg"])("a rollback to %s asks for a hash", async (commit) => {
  const last = `"${commit}" is not a commit: type 12 or more digits of its hash.`;
  expect(await rolledBack({ commit })).toMatchObject({ exitCode: 1, last, changes: [] });
});
