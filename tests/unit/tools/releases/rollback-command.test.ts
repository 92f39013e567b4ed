import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Neighbors } from "../../../../tools/neighbors";
import { rollback } from "../../../../tools/releases/rollback";
import { root } from "../../../../tools/wrangler/wrangler";
import {
  type Answer,
  COMMIT,
  cloudflare,
  faultsAt,
  HIGHER,
  hostsOf,
  LOWER,
  neighborsWith,
  OPERATOR_TOKEN,
  OTHER_PRICES,
  repository,
  siteAlone,
  takesPrices,
  type Version,
  WRANGLER,
} from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run rollback`: which version is live when it ends, and what its last line says. */

const AGAIN = `To continue, correct the problem above, then: npm run rollback production ${COMMIT}`;
const NOTHING = `Nothing was changed in production. ${AGAIN}`;
const DONE = "You cannot set secrets until the next deployment.";
const OTHER = "ffffffffffff";

/** A Worker's versions in their order: a commit's, one that a secret made ("secret"), or one without a tag (""). */
const versionsOf = (...kinds: string[]): Version[] =>
  kinds.map((kind, index) => {
    const byUpload = { "workers/triggered_by": "upload", ...(kind !== "" && { "workers/tag": kind }) };
    const annotations = kind === "secret" ? { "workers/triggered_by": "secret" } : byUpload;
    return { id: `v${index + 1}`, metadata: { created_on: `2026-01-0${index + 1}T00:00:00Z` }, annotations };
  });
const both = (...kinds: string[]) => ({ site: versionsOf(...kinds), api: versionsOf(...kinds) });

const plans = readFileSync(join(root, "app/contract/plans.ts"), "utf8");
const git = repository({ show: plans });
type Setup = {
  account?: Parameters<typeof cloudflare>[0];
  others?: Partial<Neighbors>;
  api?: Answer;
  keepsPrices?: boolean;
  commit?: string;
};

async function rolledBack({ account, others, api, keepsPrices = false, commit = COMMIT }: Setup) {
  const { wrangler, changes } = cloudflare({ versions: both(COMMIT, OTHER), ...account });
  const fetch = hostsOf({ "api.acme.com": api ?? takesPrices(changes) });
  const beside = neighborsWith({ wrangler, git, fetch, env: { OPERATOR_TOKEN }, ...others });
  return { ...(await outcomeOf(() => rollback("production", commit, keepsPrices, beside))), changes };
}

test.each<Setup & { what: string; id?: string }>([
  { what: "the version is right before" },
  { what: "the commit is typed whole", commit: COMMIT.padEnd(40, "0") },
  { what: "two releases came between", account: { versions: both(COMMIT, OTHER, "") } },
  { what: "the commit was deployed twice", account: { versions: both(COMMIT, OTHER, COMMIT, OTHER) }, id: "v3" },
  { what: "a secret changed before", account: { versions: both("secret", COMMIT, OTHER) }, id: "v2" },
  {
    what: "a secret changed between two deployments of the commit",
    account: { versions: both(COMMIT, "secret", COMMIT, OTHER) },
    id: "v3",
  },
  {
    what: "Cloudflare lists the newest first",
    account: { versions: { site: versionsOf(COMMIT, OTHER).reverse(), api: versionsOf(COMMIT, OTHER).reverse() } },
  },
])("a rollback is whole if $what", async ({ id = "v1", ...setup }) => {
  const { exitCode, last, changes } = await rolledBack(setup);
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: DONE, changes: [`site ${id}`, `api ${id}`] });
});

const OLD_SECRET = /a secret has changed since, and this version has the old one\. .*git switch --detach/;

test.each<Setup & { what: string; says: RegExp }>([
  { what: "a secret changed since", account: { versions: both(COMMIT, "secret") }, says: OLD_SECRET },
  {
    what: "a secret changed since, then a release came",
    account: { versions: both(COMMIT, "secret", OTHER) },
    says: OLD_SECRET,
  },
  {
    what: "a release came, then a secret changed",
    account: { versions: both(COMMIT, OTHER, "secret") },
    says: OLD_SECRET,
  },
  {
    what: "a secret of the API alone changed since",
    account: { versions: { site: versionsOf(COMMIT), api: versionsOf(COMMIT, "secret", OTHER) } },
    says: /✗ subscription API: a secret has changed/,
  },
  { what: "no version has the commit", account: { versions: both(OTHER) }, says: /✗ site: no version has the tag/ },
  {
    what: "the API alone has no such version",
    account: { versions: { site: versionsOf(COMMIT), api: [] } },
    says: /✗ subscription API: no version/,
  },
  { what: "the clone lacks the commit", others: { git: () => undefined }, says: /git fetch --unshallow/ },
  {
    what: "prices differ and no operator's token is set",
    account: { packages: OTHER_PRICES },
    others: { env: {} },
    says: /read -rs OPERATOR_TOKEN/,
  },
  ...faultsAt(/^site versions list/, /^api versions list/, /d1 execute/),
])("a rollback changes nothing if $what", async ({ says, ...setup }) => {
  const { exitCode, last, changes, output } = await rolledBack(setup);
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: NOTHING, changes: [] });
  expect(output).toMatch(says);
});

test("a rollback over a raised and a lowered price lowers before the site, and raises after it", async () => {
  const { changes } = await rolledBack({ account: { packages: OTHER_PRICES } });
  expect(changes).toEqual([LOWER, "site v1", HIGHER, "api v1"]);
});

test("a rollback that keeps prices asks neither database nor API", async () => {
  const { exitCode, last, changes } = await rolledBack({
    account: { faults: [{ at: /d1/, as: WRANGLER.silent }] },
    keepsPrices: true,
    others: { env: {}, git: () => undefined },
  });
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: DONE, changes: ["site v1", "api v1"] });
});

test.each<Setup & { what: string; changes: string[]; says: RegExp }>([
  {
    what: "the API refuses the lower price",
    ...{ account: { packages: OTHER_PRICES }, api: () => new Response("No.", { status: 401 }), changes: [] },
    says: /add -- --keep-prices to the command below/,
  },
  {
    what: "Cloudflare is silent about the site",
    ...{ account: { faults: [{ at: /^site rollback/, as: WRANGLER.silent }] }, changes: [] },
    says: /Live in production:\n {2}nothing of this release\nNot live:\n {2}site: .*\n {2}subscription API:/,
  },
  {
    what: "Cloudflare is silent about the API",
    ...{ account: { faults: [{ at: /^api rollback/, as: WRANGLER.silent }] }, changes: ["site v1"] },
    says: /Live in production:\n {2}site: .*\nNot live:\n {2}subscription API: /,
  },
])("a rollback in which $what ends with what is live", async ({ changes: expected, says, ...setup }) => {
  const { exitCode, last, changes, output } = await rolledBack(setup);
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: AGAIN, changes: expected });
  expect(output).toMatch(says);
});

test.each(["HEAD", "0123456", "main", "0123456789abcdefg"])("a rollback to %s asks for a hash", async (commit) => {
  const { exitCode, last, changes } = await rolledBack({ commit });
  expect({ exitCode, last, changes }).toEqual({
    ...{ exitCode: 1, changes: [] },
    last: `"${commit}" is not a commit: type 12 or more digits of its hash.`,
  });
});

test("a rollback of the site alone leaves everything else alone", async () => {
  const { exitCode, last, changes } = await rolledBack({ others: { settingsOf: siteAlone, env: {} } });
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: DONE, changes: ["site v1"] });
});
