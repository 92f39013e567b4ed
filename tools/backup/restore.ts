import { createWriteStream, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { DAY_MS } from "../../app/contract/dates";
import { STRIPE_EVENT_DAYS } from "../../functions/subscription-api/operator/after-restore";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { answerIn } from "../preflight/account";
import { databaseNameIn } from "../wrangler/worker-settings";
import { API_FOLDER, failureIn, STAGES, type Stage } from "../wrangler/wrangler";
import { bytesOf, decrypterWith } from "./age";
import { type Label, labelIn } from "./label";
import { inPrivateFolder } from "./private-folder";

// npm run restore production -- --file {copy}, with BACKUP_KEY: puts a copy of npm run backup into an empty database.

const TABLES_SQL =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'";
const tables = z.tuple([z.object({ results: z.array(z.object({ name: z.string() })) })]);

/**
 * Throws ToolError, having changed nothing, for a wrong key, for a copy of another stage or schema, and for a database
 * that has tables. D1 takes all or nothing.
 */
export async function restore(
  stage: Stage,
  file: string,
  { settingsOf, wrangler, env, folder: checkout }: Pick<Neighbors, "settingsOf" | "wrangler" | "env" | "folder">,
): Promise<boolean> {
  const name = databaseNameIn(settingsOf(stage));
  const decrypter = decrypterWith(env.BACKUP_KEY);
  const ask = (...args: string[]) => {
    const { succeeded, stdout, output } = wrangler(["d1", "execute", "DB", "--remote", ...args], {
      stage,
      folder: API_FOLDER,
      withinMs: undefined,
    });
    if (!succeeded) throw new ToolError(`✗ ${failureIn(output)}`);
    return stdout;
  };
  const [{ results }] = answerIn(tables, ask("--json", "--command", TABLES_SQL));
  if (results.length > 0)
    throw new ToolError(`✗ ${name} has tables. A copy goes only into a new, empty database: docs/operations.md.`);
  if (statSync(file).isDirectory()) throw new ToolError(`✗ ${file} is a folder, not a copy of npm run backup.`);
  const made_at = await inPrivateFolder(async ({ folder, signal, unlessStopped }) => {
    const plain = join(folder, "database.sql");
    const unless = (problem: string) => (error: Error) => {
      throw "syscall" in error ? error : new ToolError(`✗ ${file} ${problem}.`);
    };
    const decrypted = await decrypter
      .decrypt(bytesOf(resolve(file)))
      .catch(unless("was not made with this key, or is not a copy of npm run backup"));
    await pipeline(decrypted, createWriteStream(plain, { mode: 0o600 }), { signal }).catch(
      unless("was cut off or changed: use another copy"),
    );
    const label = await labelIn(plain);
    const problem = label ? problemOf(label, stage, checkout) : "is not a copy of npm run backup";
    if (problem !== undefined) throw new ToolError(`✗ ${file} ${problem}.`);
    await unlessStopped();
    ask("--yes", "--file", plain);
    // Wrangler also ends with 0 after Ctrl-C.
    await unlessStopped();
    return label?.made_at;
  });
  console.log(
    `✓ ${file} is in ${name}, as of ${made_at}. Next: npm run deploy ${stage}, then npm run after-restore ${stage} -- --restored-to ${made_at} --stopped-at {the time of the loss}`,
  );
  return true;
}

/** Why a copy does not go into a stage's database; undefined if it does. */
function problemOf({ stage: own, made_at, migrations }: Label, stage: Stage, checkout: string): string | undefined {
  if (own !== stage) return `is a copy of ${own}, made at ${made_at}, not of ${stage}`;
  if (Date.now() - Date.parse(made_at) > STRIPE_EVENT_DAYS * DAY_MS)
    return `was made at ${made_at}: Stripe has lost the events that say what has changed in more than ${STRIPE_EVENT_DAYS} days`;
  const [foreign] = migrations.filter((one) => !existsSync(join(checkout, API_FOLDER, "migrations", one)));
  return foreign && `has the migration ${foreign}, which this checkout lacks: git switch to a later commit`;
}

if (isStarted(import.meta.url)) {
  await runTool(() => {
    const shape = { script: "restore", targets: STAGES, options: { file: "copy" }, required: ["file"] };
    const { target, values } = readCommandLine(shape);
    return restore(target, values.file ?? "", neighbors);
  });
}
