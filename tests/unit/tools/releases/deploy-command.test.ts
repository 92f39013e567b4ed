import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ToolError } from "../../../../tools/failures";
import type { Neighbors } from "../../../../tools/neighbors";
import { deploy } from "../../../../tools/releases/deploy";
import { PACKAGES } from "../../../../tools/releases/prices";
import { API_FOLDER } from "../../../../tools/wrangler/wrangler";
import {
  type Answer,
  COMMIT,
  cloudflare,
  faultsAt,
  HIGHER,
  HOST,
  hostsOf,
  LOWER,
  neighborsWith,
  OPERATOR_TOKEN,
  OTHER_PRICES,
  repository,
  takesPrices,
  timeIsUp,
  WITH_OLD_PLAN,
  WRANGLER,
} from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run deploy`: what is live when it ends, and what its last line says. */

const AGAIN = "To continue, correct the problem above, then: npm run deploy production";
const NOTHING = `Nothing was changed in production. ${AGAIN}`;
const DONE = "Everything is live. To check it: npm run smoke production";
const MIGRATION = "0001_first_release.sql";

type Setup = { account?: Parameters<typeof cloudflare>[0]; others?: Partial<Neighbors>; api?: Answer };

/** Deploys beside an API that takes prices. `changes` are in their order. */
async function deployed({ account, others, api }: Setup) {
  const { wrangler, changes } = cloudflare(account);
  const fetch = hostsOf({
    "api.acme.com": (path, init) =>
      path.endsWith("/prices") ? Response.json({ prices: [] }) : (api ?? takesPrices(changes))(path, init),
  });
  const env = { OPERATOR_TOKEN };
  return {
    ...(await outcomeOf(() => deploy("production", neighborsWith({ wrangler, fetch, env, ...others })))),
    changes,
  };
}

test.each<Setup & { what: string; changes: string[] }>([
  { what: "nothing else is new", changes: ["api deployed", "site deployed"] },
  { what: "a migration is new", account: { migrations: [] }, changes: ["migrations", "api deployed", "site deployed"] },
  {
    what: "one price is lower and another higher",
    account: { packages: OTHER_PRICES },
    changes: ["api deployed", LOWER, "site deployed", HIGHER],
  },
  {
    what: "a plan is no longer listed",
    account: { packages: WITH_OLD_PLAN },
    changes: ["api deployed", "site deployed", "retired old"],
  },
  {
    what: "the catalog is empty",
    account: { packages: [] },
    changes: ["api deployed", ...PACKAGES.map(({ name, price_cents }) => `${name} ${price_cents}`), "site deployed"],
  },
  {
    what: "no operator's token is set, and no price is new",
    others: { env: {} },
    changes: ["api deployed", "site deployed"],
  },
])("a deployment is whole if $what", async ({ changes: expected, ...setup }) => {
  const { exitCode, last, changes } = await deployed(setup);
  expect({ exitCode, last, changes }).toEqual({ exitCode: 0, last: DONE, changes: expected });
});

test("a deployment twice changes the same again", async () => {
  const { wrangler, changes } = cloudflare();
  for (const _ of [1, 2]) await outcomeOf(() => deploy("production", neighborsWith({ wrangler })));
  expect(changes).toEqual(["api deployed", "site deployed", "api deployed", "site deployed"]);
});

test.each<Setup & { what: string; says: RegExp }>([
  {
    what: "a file is not committed",
    others: { git: repository({ status: "?? app/new.ts\0" }) },
    says: /uncommitted changes/,
  },
  { what: "this is no repository", others: { git: () => undefined }, says: /not a git repository/ },
  {
    what: "a copy of a database lies in the folder",
    others: { git: repository({ "ls-files": "copy.sql\0" }) },
    says: /✗ copy\.sql is a copy of a database/,
  },
  { what: "a secret is missing", account: { secrets: { site: [], api: [] } }, says: /SESSION_SECRET is missing/ },
  {
    what: "a price is new and no operator's token is set",
    account: { packages: OTHER_PRICES },
    others: { env: {} },
    says: /read -rs OPERATOR_TOKEN/,
  },
  {
    what: "the build fails",
    others: { buildBrowser: () => Promise.reject(new ToolError("Unexpected token")) },
    says: /Unexpected token/,
  },
  ...faultsAt(/secret list/, /d1 execute/),
])("a deployment changes nothing if $what", async ({ says, ...setup }) => {
  const { exitCode, last, changes, output } = await deployed(setup);
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: NOTHING, changes: [] });
  expect(output).toMatch(says);
});

const STEPS = [
  `migrations: ${MIGRATION}`,
  `subscription API: commit ${COMMIT}`,
  "prices: MINI",
  `site: commit ${COMMIT}`,
  "prices: LITE",
];
const NEW = { migrations: [], packages: OTHER_PRICES };
const fault = (at: RegExp) => ({ account: { ...NEW, faults: [{ at, as: WRANGLER.silent }] } });
const refuses =
  (name: string): Answer =>
  (_, { body }) => {
    const { packages: given } = JSON.parse(String(body));
    return String(body).includes(name)
      ? new Response("Stripe is down", { status: 503 })
      : Response.json({ prices: given });
  };

test.each<Setup & { what: string; done: number }>([
  { what: "the migration", ...fault(/migrations apply/), done: 0 },
  { what: "the API's upload", ...fault(/^api deploy/), done: 1 },
  { what: "the lower price", account: NEW, api: refuses("MINI"), done: 2 },
  { what: "the site's upload", ...fault(/^site deploy/), done: 3 },
  { what: "the higher price", account: NEW, api: refuses("LITE"), done: 4 },
])(
  "a deployment in which $what fails ends with what is live, what is not and how to continue",
  async ({ done, ...setup }) => {
    const { exitCode, lines, last } = await deployed(setup);
    const end = lines.slice(lines.lastIndexOf("Live in production:"));
    const expected = [
      "Live in production:",
      ...(done > 0 ? STEPS.slice(0, done) : ["nothing of this release"]),
      "Not live:",
      ...STEPS.slice(done),
    ];
    expect(end.slice(0, -1).map((line) => line.replace(/^ +| \$.*/g, ""))).toEqual(expected);
    expect({ exitCode, last }).toEqual({ exitCode: 1, last: AGAIN });
  },
);

test("a deployment in which the second migration fails says that the first one is live", async () => {
  const folder = await mkdtemp(join(tmpdir(), "migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const migrations = join(folder, API_FOLDER, "migrations");
  await mkdir(migrations, { recursive: true });
  for (const name of [MIGRATION, "0002_second.sql"]) await writeFile(join(migrations, name), "");
  const { wrangler: applying } = cloudflare({ migrations: [] });
  const wrangler: typeof applying = (args, options) => {
    const ran = applying(args, options);
    return args.includes("apply") ? WRANGLER.silent : ran;
  };
  const { output } = await deployed({ others: { folder, wrangler } });
  expect(output).toMatch(/Live in production:\n {2}migrations: 0001_first_release\.sql\nNot live:/);
});

test.each(["silent", "slow", "html"])("a deployment whose API is %s ends before the site", async (kind) => {
  if (kind === "slow") timeIsUp();
  const { exitCode, last, changes } = await deployed({
    account: { packages: OTHER_PRICES },
    api: HOST[kind] as Answer,
  });
  expect({ exitCode, last, changes }).toEqual({ exitCode: 1, last: AGAIN, changes: ["api deployed"] });
});

test("a commit's long subject is cut to the 100 characters that Cloudflare takes", async () => {
  const { wrangler, asked } = cloudflare();
  const git = repository({ log: `${COMMIT} ${"A release ".repeat(20)}\n` });
  await outcomeOf(() => deploy("production", neighborsWith({ wrangler, git })));
  const messages = asked.flatMap((line) => /--message (.*) --define/.exec(line)?.[1] ?? []);
  expect(messages.map(({ length }) => length)).toEqual([100, 100]);
});

test("a deployment to staging is told apart from production's", async () => {
  const { wrangler, changes } = cloudflare();
  const { exitCode, last } = await outcomeOf(() => deploy("staging", neighborsWith({ wrangler }, "staging")));
  expect({ exitCode, last, changes }).toEqual({
    ...{ exitCode: 0, last: DONE.replace("production", "staging") },
    changes: ["api deployed", "site deployed"],
  });
});
