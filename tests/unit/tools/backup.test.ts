import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { backup } from "../../../tools/backup/backup";
import { restore } from "../../../tools/backup/restore";
import type { Neighbors } from "../../../tools/neighbors";
import { root } from "../../../tools/wrangler/wrangler";
import { deployment } from "./filled-in-deployment";
import { outcomeOf } from "./outcome";

/* `npm run backup` and `npm run restore`: what ends them, and that no plain copy is left behind. */

const DUMP = "PRAGMA defer_foreign_keys=TRUE;\nINSERT INTO sign_ups VALUES('ada@example.com');\n";
const key = await generateX25519Identity();
const recipient = await identityToRecipient(key);
const settingsOf: Neighbors["settingsOf"] = () => deployment();

let temporary = "";
let folder = "";
beforeEach(async () => {
  const top = await realpath(await mkdtemp(join(tmpdir(), "backup-")));
  onTestFinished(() => rm(top, { recursive: true }));
  temporary = join(top, "temporary");
  folder = join(top, "copies");
  await mkdir(temporary);
  temporaryFolderIs(temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Windows has its own name for the variable. */
function temporaryFolderIs(path: string): void {
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, path);
}

/** Cloudflare with a database, whose export is `dump`. `imported` are the texts of files that were executed. */
function cloudflare({ dump = DUMP, tables = [], fails = /^$/, onRun = () => {} }: Partial<Setup> = {}) {
  const imported: string[] = [];
  const places: string[] = [];
  /** The time limits of Wrangler's runs in milliseconds. */
  const limits: unknown[] = [];
  const wrangler: Neighbors["wrangler"] = (args, options) => {
    limits.push("withinMs" in options ? options.withinMs : "Wrangler's default");
    const line = args.join(" ");
    const file = args[args.findIndex((one) => /^--(?:output|file)$/.test(one)) + 1] ?? "";
    if (line.includes("--output") || line.includes("--file")) places.push(dirname(file));
    if (line.includes("--output")) writeFileSync(file, dump);
    if (places.length > 0) onRun();
    if (fails.test(line)) return { succeeded: false, stdout: "", output: "✘ [ERROR] A fetch request failed" };
    if (line.includes("--file")) imported.push(readFileSync(file, "utf8"));
    const stdout = JSON.stringify([{ results: tables.map((name) => ({ name })) }]);
    return { succeeded: true, stdout, output: stdout };
  };
  return { wrangler, imported, places, limits };
}
type Setup = { dump: string; tables: string[]; fails: RegExp; onRun: () => void };

/** During a call that blocks. On Windows Node would end this process. */
const pressCtrlC = () => void (platform === "win32" ? process.emit("SIGINT") : process.kill(process.pid, "SIGINT"));

const copies = () => (existsSync(folder) ? readdirSync(folder) : []);

test("a copy goes encrypted into the given folder, and comes back from it into an empty database", async () => {
  const { wrangler, imported, places, limits } = cloudflare();
  const onCtrlC = () => {};
  process.on("SIGINT", onCtrlC);
  onTestFinished(() => void process.off("SIGINT", onCtrlC));
  const made = await outcomeOf(() => backup("production", { recipient, folder }, { settingsOf, wrangler }));
  const [name = ""] = copies();
  expect(name).toMatch(/^citewell-subscriptions-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sql\.age$/);
  expect(made).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(`The encrypted copy is ${join(folder, name)}`),
  });
  expect(readFileSync(join(folder, name), "latin1")).not.toContain("ada@example.com");

  const env = { BACKUP_KEY: key };
  const back = await outcomeOf(() => restore("production", join(folder, name), { settingsOf, wrangler, env }));
  expect(back).toMatchObject({ exitCode: 0, last: expect.stringContaining("Next: npm run deploy production") });
  expect(imported).toEqual([DUMP]);
  expect(places.map(dirname), "the folders of plain files").toEqual([temporary, temporary]);
  expect(readdirSync(temporary), "what is left").toEqual([]);
  expect(process.listeners("SIGINT"), "what else listens to Ctrl-C").toContain(onCtrlC);
  expect(limits, "time limits: a large database takes long").toEqual([undefined, undefined, undefined]);
});

test("a second copy in the same second fails, and leaves the first one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const run = () => outcomeOf(() => backup("production", { recipient, folder }, { settingsOf, ...cloudflare() }));
  const [first, second] = [await run(), await run()];
  const outcome = { first: first.exitCode, second: second.exitCode, copies: copies().length };
  expect(outcome).toEqual({ first: 0, second: 1, copies: 1 });
});

test.each([
  { what: "the key is none", to: "nobody", says: '✗ "nobody" is not a public key' },
  { what: "Cloudflare does not answer", fails: /export/, says: "✗ Wrangler says: A fetch request failed" },
  { what: "Cloudflare sends nothing", dump: "", says: "✗ Cloudflare sent an empty copy." },
  { what: "somebody presses Ctrl-C", onRun: pressCtrlC, says: "✗ Stopped. Nothing was kept on this machine." },
])("a backup while $what leaves no file behind and says why", async ({ to = recipient, says, ...setup }) => {
  const { wrangler } = cloudflare(setup);
  const { exitCode, last } = await outcomeOf(() =>
    backup("production", { recipient: to, folder }, { settingsOf, wrangler }),
  );
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: expect.stringContaining(says) });
  expect([...copies(), ...readdirSync(temporary)]).toEqual([]);
});

test("a backup whose temporary folder is inside the checkout asks Cloudflare for nothing", async () => {
  await mkdir(join(root, "build"), { recursive: true });
  const inside = await mkdtemp(join(root, "build/tmp-"));
  onTestFinished(() => rm(inside, { recursive: true }));
  temporaryFolderIs(inside);
  const { wrangler, places } = cloudflare();
  const { exitCode, last } = await outcomeOf(() =>
    backup("production", { recipient, folder }, { settingsOf, wrangler }),
  );
  expect({ exitCode, last, places }).toEqual({
    exitCode: 1,
    last: expect.stringMatching(/is inside the checkout: set TMPDIR/),
    places: [],
  });
});

test.each([
  { what: "there is no key", env: {}, says: "Set the variable BACKUP_KEY" },
  { what: "the key is a public one", env: { BACKUP_KEY: recipient }, says: "✗ BACKUP_KEY is not a secret key" },
  {
    what: "the key is another one",
    env: { BACKUP_KEY: await generateX25519Identity() },
    says: "was not made with this key",
  },
  { what: "the copy was cut off", damage: (copy: Buffer) => copy.subarray(0, -1), says: "was cut off or changed" },
  { what: "the copy is empty", damage: () => Buffer.alloc(0), says: "or is not a copy of npm run backup" },
  { what: "there is no such file", file: "/nowhere.age", says: "ENOENT" },
  { what: "the database has tables", tables: ["sign_ups"], says: "✗ citewell-subscriptions has tables." },
  { what: "Cloudflare does not answer", fails: /--command/, says: "✗ Wrangler says: A fetch request failed" },
  { what: "Cloudflare refuses the copy", fails: /--file/, says: "✗ Wrangler says: A fetch request failed" },
  { what: "somebody presses Ctrl-C", fails: /--file/, onRun: pressCtrlC, says: "✗ Stopped." },
])(
  "a restore while $what changes nothing and says why",
  async ({ env = { BACKUP_KEY: key }, file, damage, says, ...setup }) => {
    const before = { settingsOf, wrangler: cloudflare().wrangler };
    await outcomeOf(() => backup("production", { recipient, folder }, before));
    const { wrangler, imported } = cloudflare(setup);
    const copy = file ?? join(folder, copies()[0] ?? "");
    if (damage) writeFileSync(copy, damage(readFileSync(copy)));
    const { exitCode, last } = await outcomeOf(() => restore("production", copy, { settingsOf, wrangler, env }));
    expect({ exitCode, last, imported }).toEqual({ exitCode: 1, last: expect.stringContaining(says), imported: [] });
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test("a restore that Ctrl-C stops is not reported as done, though Wrangler ends with 0", async () => {
  await backup("production", { recipient, folder }, { settingsOf, wrangler: cloudflare().wrangler });
  const { wrangler } = cloudflare({ onRun: pressCtrlC });
  const copy = join(folder, copies()[0] ?? "");
  const { exitCode } = await outcomeOf(() =>
    restore("production", copy, { settingsOf, wrangler, env: { BACKUP_KEY: key } }),
  );
  expect(exitCode).toBe(1);
});
