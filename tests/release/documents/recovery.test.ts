import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, expect, test } from "vitest";
import { DATABASES } from "../../support/filled-in-settings";
import { validRequest } from "../../support/person";
import { startSubscriptionApi } from "../../support/workers/workers";
import { NEW_DATABASE } from "../commands/cloudflare";
import { freePorts } from "../commands/ports";
import { startIn, stop } from "../commands/started";
import { ADA, API_FILE, DEPLOYED, OPERATOR_TOKEN, startDeployment, through } from "./typed-blocks";

/* Shell blocks of the documents: restores, backups and a person's data. */

const { backend, hosts, cloudflare, checkout, testBlocks } = await startDeployment();
const maintained = await startSubscriptionApi({ simulatorUrl: backend.stripe.url, vars: { MAINTENANCE: "true" } });
afterAll(() => maintained.dispose());

const port = await freePorts();
const backupKey = await generateX25519Identity();
const recipient = await identityToRecipient(backupKey);
const [AN_HOUR_AGO, NOW] = [3_600_000, 0].map((ms) => `${new Date(Date.now() - ms).toISOString().slice(0, 19)}Z`);

testBlocks("recovery", {
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
  Rehearsal: [
    {
      before: async () => {
        const start = startIn(checkout.folder);
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
