import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { answerIn } from "../preflight/account";
import { databaseNameIn } from "../wrangler/worker-settings";
import { API_FOLDER, failureIn, STAGES, type Stage } from "../wrangler/wrangler";
import { bytesOf, decrypterWith } from "./age";
import { inPrivateFolder } from "./private-folder";

// npm run restore production -- --file {copy}, with BACKUP_KEY: puts a copy of npm run backup into an empty database.

const TABLES_SQL =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'";
const tables = z.tuple([z.object({ results: z.array(z.object({ name: z.string() })) })]);

/** Throws ToolError, having changed nothing, for a wrong key or file, and for a database that has tables. D1 takes all or nothing. */
export async function restore(
  stage: Stage,
  file: string,
  { settingsOf, wrangler, env }: Pick<Neighbors, "settingsOf" | "wrangler" | "env">,
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
  await inPrivateFolder(async ({ folder, signal, unlessStopped }) => {
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
    await unlessStopped();
    ask("--yes", "--file", plain);
    // Wrangler also ends with 0 after Ctrl-C.
    await unlessStopped();
  });
  console.log(`✓ ${file} is in ${name}. Next: npm run deploy ${stage}`);
  return true;
}

if (isStarted(import.meta.url)) {
  await runTool(() => {
    const shape = { script: "restore", targets: STAGES, options: { file: "copy" }, required: ["file"] };
    const { target, values } = readCommandLine(shape);
    return restore(target, values.file ?? "", neighbors);
  });
}
