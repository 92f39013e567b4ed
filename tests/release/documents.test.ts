import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, expect, test } from "vitest";
import { PAID_PLANS } from "../../app/contract/plans";
import { LOCAL_SECRETS } from "../../functions/subscription-api/local-development";
import { root } from "../../tools/wrangler/wrangler";
import { DATABASES } from "../support/filled-in-settings";
import { validRequest } from "../support/person";
import { rows } from "../support/visitors/visitor";
import { NEW_DATABASE, through } from "./commands/cloudflare";
import { freePorts, startIn, stop } from "./commands/started";
import { ADA, API_FILE, startDeployment } from "./deployment";

/*
 * The shell blocks of README.md and docs/, typed section by section on a deployment with stand-ins for Cloudflare and Stripe. What a
 * block has in braces gets a value.
 */

const SECRET = "sk_live_0123456789abcdef";
const { OPERATOR_TOKEN } = LOCAL_SECRETS;

/** Sections whose blocks cannot run here. */
const ELSEWHERE: Record<string, string> = {
  "Two commands": "readme.test.ts runs npm start, and npm test would run itself",
  "The site with your own API": "own-api.test.ts runs the whole section, with another API",
};

/** Commands that cannot run here. */
const LEFT_OUT: Record<string, string> = {
  "npm install": "readme.test.ts runs it; here node_modules is a link to this repository's",
  "npx wrangler login": "opens a browser, in which a person logs in",
  "npm run test:stripe": "asks Stripe itself; the same facts about the simulator are in npm test",
};

const { backend, hosts, maintained, cloudflare, checkout, dispose } = await startDeployment();
afterAll(dispose);

const [FIRST] = PAID_PLANS;
const backupKey = await generateX25519Identity();
const recipient = await identityToRecipient(backupKey);
const [AN_HOUR_AGO, NOW] = [3_600_000, 0].map((ms) => `${new Date(Date.now() - ms).toISOString().slice(0, 19)}Z`);
const port = await freePorts();
let commit = "";

const uploaded = (name: string) => RegExp(`^(?:PUT .*/${name}|POST .*/${name}/versions)$`);
const DEPLOYED = ["citewell-subscription-api", "citewell-site"].map(uploaded);
const CHECKED = /✓ pages.*✓ site.*✓ form.*✓ subscription API.*✓ refusals.*✓ Stripe key/s;

type Plan = {
  before?: () => unknown;
  /** What the places in braces stand for. */
  values?: () => Record<string, string>;
  /** What is typed at the block's questions. */
  typed?: string;
  env?: NodeJS.ProcessEnv;
  /** What it changes at Cloudflare, among others. */
  changes?: RegExp[];
  says?: RegExp[];
};

/** Each section's blocks, in the order in which they are typed. */
const PLANS: Record<string, Plan[]> = {
  "First deployment": [
    { typed: "sk_test_0123456789abcdef\n" },
    { changes: [/^POST \/d1\/database$/] },
    { typed: `${SECRET}\n`, says: [/whsec_\w+/, /customer portal: \w+ was made/] },
    {
      typed: "0123456789abcdef".repeat(4),
      changes: ["site", ...Array(5).fill("subscription-api")].map((name) => RegExp(`^PUT .*citewell-${name}/secrets$`)),
    },
    { typed: `${OPERATOR_TOKEN}\n`, changes: DEPLOYED, says: [RegExp(`✓ prices: ${FIRST.title} \\$`), CHECKED] },
  ],
  "Plans and prices": [
    { changes: DEPLOYED, says: [RegExp(`✓ prices: ${FIRST.title} price_`)] },
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
  Updates: [
    {
      changes: [uploaded("citewell-subscription-api-staging"), uploaded("citewell-site-staging"), ...DEPLOYED],
      says: [/live for staging/, /live for production/, CHECKED],
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
        hosts["api.acme.com"] = through(backend.api.url);
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
  Rehearsal: [
    {
      async before() {
        const start = startIn(checkout);
        await mkdir(join(checkout.folder, ".wrangler"), { recursive: true });
        await symlink(`state-${port}`, join(checkout.folder, ".wrangler/state"));
        const started = await start(port, "start");
        const { status } = await fetch(`http://localhost:${port + 1}/subscription`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...validRequest, email: ADA }),
        });
        expect(status).toBe(200);
        await stop(started, port);
      },
      env: { PORT: String(port), STRIPE_SECRET_KEY: "" },
      typed: `${ADA}\n`,
      says: [/Erased sign-ups: 1\./, /"deleted_again": 1/],
    },
  ],
  "A person's data": [{ typed: `${OPERATOR_TOKEN}\n${ADA}\n` }, { typed: `${ADA}\n`, says: [/Erased sign-ups: 1\./] }],
};

/** The shell blocks of a document, without their indentation. */
function blocksIn(file: string) {
  const parts = readFileSync(join(root, file), "utf8").split(/^#+ (.+)$/m);
  return parts.flatMap((text, index) =>
    [...text.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent = "", block = ""]) => ({
      ...{ file, section: parts[index - 1] ?? "", text: block.replaceAll(RegExp(`^${indent}`, "gm"), "") },
    })),
  );
}

const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
const blocks = documents.filter((name) => name.endsWith(".md")).flatMap(blocksIn);

const typed = Object.entries(PLANS).flatMap(([section, plans]) => {
  const ofSection = blocks.filter((block) => block.section === section);
  return plans.map((plan, index) => ({ section, number: index + 1, plan, block: ofSection[index] }));
});

test("each shell block of the documents has a plan or a reason here, and none is gone", () => {
  const planned = [...typed, ...Object.keys(ELSEWHERE).map((section) => ({ section }))].map(({ section }) => section);
  expect(planned.sort()).toEqual(
    blocks
      .map(({ section }) => section)
      .filter((section, index, all) => !(section in ELSEWHERE) || all.indexOf(section) === index)
      .sort(),
  );
  const text = blocks.map((block) => block.text).join("");
  expect(Object.keys(LEFT_OUT).filter((line) => !text.includes(line))).toEqual([]);
});

/** Runs a block as a whole, as it is pasted into a shell. */
async function paste(text: string, { values = () => ({}), typed: input = "", env: own }: Plan) {
  const known: Record<string, string> = values();
  const lines = text.split("\n").filter((line) => !(line.replace(/ *#.*/, "") in LEFT_OUT));
  const filled = lines.join("\n").replaceAll(/\{([^}]+)\}/g, (place, name) => known[name] ?? place);
  expect(filled, "places that this test has no value for").not.toMatch(/\{[^}]+\}/);
  cloudflare.changes.length = 0;
  return checkout.type(filled, { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: SECRET, ...own }, input);
}

test.each(typed)("block $number of $section runs as it stands", async ({ block, plan }) => {
  const text = block?.text ?? "";
  await plan.before?.();
  const { output, exitCode } = await paste(text, plan);
  expect(exitCode, output).toBe(0);
  const left = [...cloudflare.changes];
  for (const change of plan.changes ?? []) {
    const index = left.findIndex((one) => change.test(one));
    expect(index, `${change} among the changes\n${cloudflare.changes.join("\n")}`).not.toBe(-1);
    left.splice(index, 1);
  }
  for (const sentence of plan.says ?? []) expect(output).toMatch(sentence);
  if (text.includes("run deploy")) expect(output, "wrong advice").not.toMatch(/WARNING|Please add|experimental/);
});

test("an export is JSON, and no log at home has the person's address or a link to the database", async () => {
  expect(JSON.parse(await readFile(join(checkout.home, "person.json"), "utf8"))).toMatchObject({ email: ADA });
  const files = await readdir(checkout.home, { recursive: true, withFileTypes: true });
  const logs = files.filter((one) => one.isFile() && one.name.endsWith(".log"));
  expect(logs.map(({ parentPath }) => parentPath).join(), "npm's and Wrangler's logs").toMatch(/npm-logs.*wrangler/s);
  for (const { parentPath, name } of logs)
    expect(await readFile(join(parentPath, name), "utf8"), name).not.toMatch(/ada@example|\/signed\//);
});

test("a copy of the database was read by its own key, and came whole into the new one", async () => {
  const sql = "SELECT id, email, password_hash FROM sign_ups ORDER BY id";
  const [restored] = await cloudflare.execute(NEW_DATABASE, sql);
  expect(restored?.results).toEqual([expect.objectContaining({ email: ADA })]);
});
