import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { DATABASES, filledIn, filledInCompany } from "../../support/filled-in-settings";
import { rows, signUp } from "../../support/visitors/visitor";
import { DEPLOYED as DEPLOYMENT, startBackend, startSite, startSubscriptionApi } from "../../support/workers/workers";
import { checkOut } from "./checkout";
import { type HostAnswers, NEW_DATABASE, startCloudflare } from "./cloudflare";
import { type Block, blocks, ELSEWHERE, LEFT_OUT } from "./shell-blocks";

/*
 * The shell blocks of README.md and docs/, typed in their order on a deployment with stand-ins for Cloudflare and Stripe. What a
 * block has in braces gets a value here. A block without a row here fails. At the end, a deployment fails at Cloudflare.
 */

const SECRET = "sk_live_0123456789abcdef";
const ADA = "ada@example.com";
const { OPERATOR_TOKEN } = LOCAL_SECRETS;
const backupKey = await generateX25519Identity();

const backend = await startBackend();
const maintained = await startSubscriptionApi({ simulatorUrl: backend.stripe.url, vars: { MAINTENANCE: "true" } });
const SITES = [
  { SITE_URL: "https://www.acme.com", STAGE: "production", STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef" },
  { SITE_URL: "https://staging.acme.com", STAGE: "staging", STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef" },
];
const LOCAL_ONLY = { STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };
const sites = await Promise.all(
  SITES.map(async (own) => {
    const vars = { ...DEPLOYMENT, ...LOCAL_ONLY, SUBSCRIPTION_API_URL: "https://api.acme.com", ...own };
    return { origin: own.SITE_URL, worker: await startSite({ vars }) };
  }),
);

/** Answers as a Worker or the simulator does. @param change of the headers */
const through =
  (url: string, change: (headers: Headers, url: string) => void = () => {}): HostAnswers =>
  async (request) => {
    const { pathname, search, origin } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"])
      headers.delete(name);
    change(headers, origin + pathname + search);
    const body = request.method === "GET" ? {} : { body: await request.text() };
    const answer = await fetch(url + pathname + search, {
      method: request.method,
      headers,
      redirect: "manual",
      ...body,
    });
    const cookies = answer.headers.getSetCookie().map((cookie): [string, string] => ["set-cookie", cookie]);
    return new Response(await answer.text(), { status: answer.status, headers: cookies });
  };

/** A site sees its own URL. */
const asOwnUrl = (headers: Headers, url: string) => headers.set("MF-Original-URL", url);

const hosts: Record<string, HostAnswers> = {
  ...Object.fromEntries(sites.map(({ origin, worker }) => [new URL(origin).host, through(worker.url, asOwnUrl)])),
  // The simulator knows only test keys.
  "api.stripe.com": through(backend.stripe.url, (headers) => {
    headers.set("authorization", String(headers.get("authorization")).replace("_live_", "_test_"));
  }),
};
const cloudflare = await startCloudflare(backend.api, hosts);
const checkout = await checkOut();
afterAll(() => {
  const workers = sites.map(({ worker }) => worker.dispose());
  return Promise.all([...workers, maintained.dispose(), backend.dispose(), cloudflare.dispose(), checkout.dispose()]);
});

const API_FILE = "functions/subscription-api/wrangler.toml";
beforeAll(async () => {
  for (const file of ["wrangler.toml", API_FILE]) await checkout.change(file, filledIn);
  await checkout.change("app/company.ts", filledInCompany);
  checkout.commit();
  await signUp(backend.api, { email: ADA });
});

type Plan = {
  before?: () => unknown;
  /** What the places in braces stand for. */
  values?: () => Record<string, string>;
  /** What is typed at the block's questions. */
  typed?: string;
  /** What it changes at Cloudflare, among others. */
  changes?: RegExp[];
  says?: RegExp[];
};

const uploaded = (name: string) => RegExp(`^(?:PUT .*/${name}|POST .*/${name}/versions)$`);
const DEPLOYED = ["citewell-subscription-api", "citewell-site"].map(uploaded);
const CHECKED = /✓ pages.*✓ site.*✓ form.*✓ subscription API.*✓ refusals.*✓ Stripe key/s;
const [AN_HOUR_AGO, NOW] = [3_600_000, 0].map((ms) => `${new Date(Date.now() - ms).toISOString().slice(0, 19)}Z`);

let commit = "";

/** By section, in the order of its blocks. */
const PLANS: Record<string, Plan[]> = {
  "First deployment": [
    { typed: "sk_test_0123456789abcdef\n" },
    { changes: [/^POST \/d1\/database$/] },
    { typed: `${SECRET}\n`, says: [/whsec_\w+/, /customer portal: \w+ was made/] },
    {
      typed: "0123456789abcdef".repeat(4),
      changes: ["site", ...Array(5).fill("subscription-api")].map((name) => RegExp(`^PUT .*citewell-${name}/secrets$`)),
    },
    { typed: `${OPERATOR_TOKEN}\n`, changes: DEPLOYED, says: [/✓ prices: MINI \$/, CHECKED] },
  ],
  Updates: [
    {
      changes: [uploaded("citewell-subscription-api-staging"), uploaded("citewell-site-staging"), ...DEPLOYED],
      says: [/live for staging/, /live for production/, CHECKED],
    },
  ],
  "Plans and prices": [
    { changes: DEPLOYED, says: [/✓ prices: MINI price_/] },
    { values: () => ({ "package ID": crypto.randomUUID() }), says: [/"name": "TEAM",\s+"price_cents": 77700/] },
  ],
  "Failed messages": [
    {
      before: () =>
        rows(
          backend.api,
          `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)
           SELECT 'the-message', id, 'account-created', 'dead', created_at, created_at FROM sign_ups WHERE email = ?`,
          ADA,
        ),
      values: () => ({ key: "the-message" }),
      says: [/the-message +dead/, /being sent again/],
    },
  ],
  "Rolling back": [
    {
      before: () => {
        commit = checkout.commit();
        const metadata = { created_on: "2026-01-01T00:00:00Z" };
        for (const name of ["citewell-site", "citewell-subscription-api"])
          cloudflare.versions.set(name, [{ id: `${name}-1`, metadata, annotations: { "workers/tag": commit } }]);
      },
      values: () => ({ commit }),
      changes: [/^citewell-site citewell-site-1$/, /^citewell-subscription-api citewell-subscription-api-1$/],
      says: [CHECKED],
    },
  ],
  "Restoring the database": [
    {
      before: () => {
        hosts["api.acme.com"] = through(maintained.url);
      },
      values: () => ({ time: String(AN_HOUR_AGO), "time of 1": String(NOW) }),
      typed: "true",
      changes: [/^PUT .*\/secrets$/, /^POST .*\/time_travel\/restore$/, /^DELETE .*\/secrets\/MAINTENANCE/],
      says: [/The current bookmark is/, /"emails_held_back": 0/],
    },
  ],
  Backups: [
    {
      before: () => {
        delete hosts["api.acme.com"];
      },
      values: () => ({ "public key": recipient }),
      says: [/✓ The encrypted copy is \S+\.sql\.age/],
    },
    {
      before: () => checkout.change(API_FILE, (text) => text.replace(DATABASES.production, NEW_DATABASE)),
      values: () => ({ copy: "~/database-backups/*.sql.age" }),
      typed: `${backupKey}\n`,
      changes: [RegExp(`^POST /d1/database/${NEW_DATABASE}/import$`), ...DEPLOYED],
      says: [/migrations: none was new/],
    },
  ],
  "A person's data": [{ typed: `${OPERATOR_TOKEN}\n`, says: [/"email": "ada@example\.com"/, /Erased sign-ups: 1\./] }],
};

const recipient = await identityToRecipient(backupKey);

/** Runs a block as a whole, as it is pasted into a shell. */
async function paste({ text }: Block, { values = () => ({}), typed = "" }: Plan) {
  const known = values();
  const lines = text.split("\n").filter((line) => !(line.replace(/ *#.*/, "") in LEFT_OUT));
  const filled = lines.join("\n").replaceAll(/\{([^}]+)\}/g, (place, name) => known[name] ?? place);
  expect(filled, "places that this test has no value for").not.toMatch(/\{[^}]+\}/);
  cloudflare.changes.length = 0;
  const env = { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: SECRET };
  return checkout.type(filled, env, typed);
}

const named = blocks
  .filter(({ section }) => !(section in ELSEWHERE))
  .map((block) => {
    const nth = blocks.filter(({ section }) => section === block.section).indexOf(block);
    return { block, name: `${block.file}, "${block.section}", block ${nth + 1}`, plan: PLANS[block.section]?.[nth] };
  });

test.each(named)("$name runs as it stands", async ({ block, plan }) => {
  if (!plan) throw new Error(`This test has no plan for the block:\n${block.text}`);
  await plan.before?.();
  const { output, exitCode } = await paste(block, plan);
  expect(exitCode, output).toBe(0);
  const left = [...cloudflare.changes];
  for (const change of plan.changes ?? []) {
    const index = left.findIndex((one) => change.test(one));
    expect(index, `${change} among the changes\n${cloudflare.changes.join("\n")}`).not.toBe(-1);
    left.splice(index, 1);
  }
  for (const sentence of plan.says ?? []) expect(output).toMatch(sentence);
  if (block.text.includes("run deploy")) expect(output, "wrong advice").not.toMatch(/WARNING|Please add|experimental/);
});

test("no plan and no exception is for a block that is gone", () => {
  const sections = blocks.map(({ section }) => section);
  const counted = Object.entries(PLANS).map(([section, plans]) => [section, plans.length]);
  expect(counted).toEqual(counted.map(([section]) => [section, sections.filter((one) => one === section).length]));
  expect(sections).toEqual(expect.arrayContaining(Object.keys(ELSEWHERE)));
  const text = blocks.map((block) => block.text).join("");
  expect(Object.keys(LEFT_OUT).filter((line) => !text.includes(line))).toEqual([]);
});

test("a copy of the database was read by its own key, and came whole into the new one", async () => {
  const sql = "SELECT id, email, password_hash FROM sign_ups ORDER BY id";
  const [restored] = await cloudflare.execute(NEW_DATABASE, sql);
  expect(restored?.results).toEqual([expect.objectContaining({ email: ADA })]);
});

test("a deployment whose migration fails ends with what is live, what is not and how to continue", async () => {
  await writeFile(
    join(checkout.folder, "functions/subscription-api/migrations/0099_test.sql"),
    "SELECT nothing FROM it;",
  );
  const commit = checkout.commit();
  const { stdout, exitCode } = await checkout.run("deploy", ["production"], { ...cloudflare.env, OPERATOR_TOKEN });
  expect(stdout.slice(stdout.lastIndexOf("Live in production:"))).toBe(`Live in production:
  nothing of this release
Not live:
  migrations: 0099_test.sql
  subscription API: commit ${commit}
  site: commit ${commit}
To continue, correct the problem above, then: npm run deploy production
`);
  expect(exitCode).toBe(1);
});
