import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform } from "node:process";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { encrypterFor } from "../../../tools/backup/age";
import { backup } from "../../../tools/backup/backup";
import { restore } from "../../../tools/backup/restore";
import type { Neighbors } from "../../../tools/neighbors";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { stopClock } from "../../support/clock";
import { deployment } from "./filled-in-deployment";
import { checkoutWith, MIGRATION } from "./neighbors";
import { outcomeOf } from "./outcome";

/* `npm run backup` and `npm run restore`: what ends them, and that nothing unencrypted is left behind. */

const DUMP = "PRAGMA defer_foreign_keys=TRUE;\nINSERT INTO sign_ups VALUES('ada@example.com');\n";
const NOW = "2026-11-22T12:00:00Z";
stopClock(Date.parse(NOW));
const NAME = "citewell-subscriptions-2026-11-22T12-00-00Z.sql.age";
const key = await generateX25519Identity();
const recipient = await identityToRecipient(key);
const checkout = checkoutWith(MIGRATION);
const settingsOf: Neighbors["settingsOf"] = () => deployment();

let temporary = "";
let folder = "";
beforeEach(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "backup-")));
  [temporary, folder] = [join(top, "temporary"), join(top, "copies")];
  mkdirSync(temporary);
  temporaryFolderIs(temporary);
});
afterEach(() => void vi.unstubAllEnvs());

/** Windows has its own name for the variable. */
function temporaryFolderIs(path: string): void {
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, path);
}

type Account = { dump?: string; migrations?: string[]; tables?: string[]; fails?: RegExp; onRun?: () => void };

/** Cloudflare with one stage's database. `asked` are Wrangler's command lines, and `imported` the texts that came into the database. */
function cloudflare({ dump = DUMP, migrations = [MIGRATION], tables = [], fails = /^$/, onRun }: Account = {}) {
  const imported: string[] = [];
  const asked: string[] = [];
  const rows = (names: string[]) => ({ results: names.map((name) => ({ name })) });
  const wrangler: Neighbors["wrangler"] = (args, { stage, folder: worker, ...limit }) => {
    const file = args.find((one) => one.startsWith(temporary)) ?? "";
    const line = `${stage} ${worker} ${args.join(" ").replace(file || /^$/, "{file}")}`;
    asked.push(`${line}${"withinMs" in limit ? "" : ", within Wrangler's time"}`);
    if (line.includes("--output")) writeFileSync(file, dump);
    if (file !== "") onRun?.();
    if (fails.test(line)) return { succeeded: false, stdout: "", output: "✘ [ERROR] A fetch request failed" };
    if (line.includes("--file")) imported.push(readFileSync(file, "utf8"));
    const isOfMigrations = line.includes("FROM d1_migrations");
    const stdout = JSON.stringify(isOfMigrations ? [rows(migrations), { results: [] }] : [rows(tables)]);
    return { succeeded: true, stdout, output: stdout };
  };
  return { wrangler, imported, asked };
}

/** During a call that blocks. On Windows Node would end this process. */
const pressCtrlC = () => void (platform === "win32" ? process.emit("SIGINT") : process.kill(process.pid, "SIGINT"));

const backUp = (wrangler: Neighbors["wrangler"], { to = recipient, stage = "production" as Stage } = {}) =>
  outcomeOf(() => backup(stage, { recipient: to, folder }, { settingsOf, wrangler }));
const restoreWith = (wrangler: Neighbors["wrangler"], { BACKUP_KEY = key, file = join(folder, NAME) } = {}) =>
  outcomeOf(() => restore("production", file, { settingsOf, wrangler, env: { BACKUP_KEY }, folder: checkout }));

test("a copy goes encrypted into the given folder, and comes back from it into an empty database", async () => {
  const { wrangler, imported, asked } = cloudflare();
  const onCtrlC = () => {};
  process.on("SIGINT", onCtrlC);
  onTestFinished(() => void process.off("SIGINT", onCtrlC));
  const made = await backUp(wrangler);
  const copy = join(folder, NAME);
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining(`The encrypted copy is ${copy}`) });
  expect(readFileSync(copy, "latin1")).not.toContain("ada@example.com");

  const back = await restoreWith(wrangler);
  expect(back).toMatchObject({
    exitCode: 0,
    last: `✓ ${copy} is in citewell-subscriptions, as of ${NOW}. Next: npm run deploy production, then npm run after-restore production -- --restored-to ${NOW} --stopped-at {the time of the loss}`,
  });
  const label = { stage: "production", made_at: NOW, migrations: [MIGRATION] };
  expect(imported).toEqual([`-- npm run backup: ${JSON.stringify(label)}\n${DUMP}`]);
  expect(asked).toEqual([
    `production ${API_FOLDER} d1 execute DB --remote --json --command SELECT name FROM d1_migrations; SELECT id, name, price_cents, stripe_price_id, status FROM packages, within Wrangler's time`,
    `production ${API_FOLDER} d1 export DB --remote --skip-confirmation --output {file}`,
    `production ${API_FOLDER} d1 execute DB --remote --json --command SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'`,
    `production ${API_FOLDER} d1 execute DB --remote --yes --file {file}`,
  ]);
  expect(readdirSync(temporary), "what is left").toEqual([]);
  expect(process.listeners("SIGINT"), "what else listens to Ctrl-C").toContain(onCtrlC);
});

test.each<Account & { what: string; to?: string; says: string }>([
  {
    what: "the key is the secret one",
    to: key,
    says: "✗ --recipient is not a public key, age1…: npm run backup:key makes a pair of keys. Replace a secret key that was typed here: npm has logged it.",
  },
  { what: "Cloudflare does not answer", fails: /d1 e/, says: "database: Wrangler says: A fetch request failed" },
  { what: "Cloudflare fails to export", fails: /export/, says: "✗ Wrangler says: A fetch request failed" },
  { what: "Cloudflare sends nothing", dump: "", says: "✗ Cloudflare sent an empty copy." },
  { what: "somebody presses Ctrl-C", onRun: pressCtrlC, says: "✗ Stopped. Nothing was kept on this machine." },
])("a backup while $what leaves no file behind and says why, without the key", async (row) => {
  const { to = recipient, says, ...account } = row;
  const { exitCode, last, output } = await backUp(cloudflare(account).wrangler, { to });
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: expect.stringContaining(says) });
  expect([...(existsSync(folder) ? readdirSync(folder) : []), ...readdirSync(temporary)]).toEqual([]);
  expect(output).not.toContain(key);
});

test("a backup into a file, a second one in the same second, and one beside the checkout's files are refused", async () => {
  writeFileSync(folder, "a file");
  expect(await backUp(cloudflare().wrangler)).toMatchObject({ exitCode: 1, last: `✗ ${folder} is already there.` });
  await rm(folder);
  await backUp(cloudflare().wrangler);
  const copy = join(folder, NAME);
  const first = readFileSync(copy);
  const second = await backUp(cloudflare({ dump: "another" }).wrangler);
  expect(second).toMatchObject({ exitCode: 1, last: `✗ ${copy} is already there.` });
  expect(readFileSync(copy)).toEqual(first);

  mkdirSync(join(root, "build"), { recursive: true });
  const inside = mkdtempSync(join(root, "build/tmp-"));
  onTestFinished(() => rm(inside, { recursive: true }));
  temporaryFolderIs(inside);
  const { wrangler, asked } = cloudflare();
  const last = expect.stringMatching(/is inside the checkout: set TMPDIR/);
  expect(await backUp(wrangler)).toMatchObject({ exitCode: 1, last });
  expect(asked.filter((line) => line.includes("export"))).toEqual([]);
});

test("the unencrypted copy of a backup that was killed is removed by the next one, which says so", async () => {
  const [left, used] = [`citewell-tool-${2 ** 22 + 1}-abcdef`, `citewell-tool-${process.pid}-abcdef`];
  for (const one of [left, used]) mkdirSync(join(temporary, one));
  writeFileSync(join(temporary, left, "database.sql"), DUMP);
  const { output } = await backUp(cloudflare().wrangler);
  expect(output).toContain(`Removed ${join(temporary, left)}, which a killed command had left`);
  expect(readdirSync(temporary)).toEqual([used]);
});

/** The copy is `of` a stage, as Cloudflare had it `made`, was damaged, and is restored `at` a time. */
type Copy = { of?: Stage; made?: Account; damage?: (copy: Buffer) => Uint8Array | Promise<Uint8Array>; at?: string };
type Refused = Copy & Account & { what: string; BACKUP_KEY?: string; file?: string; says: string };

const OTHER_KEY = await generateX25519Identity();
const FOREIGN = () => encrypterFor(recipient).encrypt(DUMP);
const MADE_LATER = { migrations: [MIGRATION, "0099_later.sql"] };
const LATER_SCHEMA = "has the migration 0099_later.sql, which this checkout lacks: git switch to a later commit.";

test.each<Refused>([
  { what: "there is no key", BACKUP_KEY: "", says: "Set the variable BACKUP_KEY" },
  { what: "the key is a public one", BACKUP_KEY: recipient, says: "✗ BACKUP_KEY is not a secret key" },
  { what: "the key is another one", BACKUP_KEY: OTHER_KEY, says: "was not made with this key" },
  { what: "the copy was cut off", damage: (copy) => copy.subarray(0, -1), says: "was cut off or changed" },
  { what: "the file has no label", damage: FOREIGN, says: `${NAME} is not a copy of npm run backup.` },
  { what: "there is no such file", file: "/nowhere.age", says: "✗ /nowhere.age does not exist." },
  { what: "the file is a folder", file: "/", says: "✗ / is a folder, not a copy of npm run backup." },
  { what: "the copy is staging's", of: "staging", says: `is a copy of staging, made at ${NOW}, not of production.` },
  { what: "the copy has a later schema", made: MADE_LATER, says: LATER_SCHEMA },
  { what: "it is older than Stripe's events", at: "2026-12-22T12:00:01Z", says: `was made at ${NOW}: Stripe has` },
  { what: "the database has tables", tables: ["sign_ups"], says: "✗ citewell-subscriptions has tables." },
  { what: "Cloudflare refuses the copy", fails: /--file/, says: "✗ Wrangler says: A fetch request failed" },
  { what: "somebody presses Ctrl-C", fails: /--file/, onRun: pressCtrlC, says: "✗ Stopped." },
])("a restore while $what changes nothing and says why", async (row) => {
  const copy = join(folder, NAME);
  const { of: stage = "production", made, damage, at = NOW, BACKUP_KEY = key, file = copy, says, ...account } = row;
  await backUp(cloudflare(made).wrangler, { stage });
  vi.setSystemTime(Date.parse(at));
  if (damage) writeFileSync(copy, await damage(readFileSync(copy)));
  const { wrangler, imported } = cloudflare(account);
  const { exitCode, last } = await restoreWith(wrangler, { BACKUP_KEY, file });
  expect({ exitCode, last, imported }).toEqual({ exitCode: 1, last: expect.stringContaining(says), imported: [] });
  expect(readdirSync(temporary)).toEqual([]);
});

test("a restore that Ctrl-C stops is not reported as done, though Wrangler ends with 0; 30 days are not too old", async () => {
  await backUp(cloudflare().wrangler);
  vi.setSystemTime(Date.parse("2026-12-22T12:00:00Z"));
  expect(await restoreWith(cloudflare({ onRun: pressCtrlC }).wrangler)).toMatchObject({ exitCode: 1 });
  expect(await restoreWith(cloudflare().wrangler)).toMatchObject({ exitCode: 0 });
});
