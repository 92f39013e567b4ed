import { createWriteStream, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { databaseOf } from "../preflight/account";
import { databaseNameIn } from "../wrangler/worker-settings";
import { API_FOLDER, failureIn, STAGES, type Stage } from "../wrangler/wrangler";
import { bytesOf, encrypterFor } from "./age";
import { lineOf } from "./label";
import { inPrivateFolder } from "./private-folder";

// npm run backup production -- --recipient {public key}: writes an encrypted copy of the database to a folder outside the checkout.

const FOLDER = "database-backups";

export async function backup(
  stage: Stage,
  { recipient, folder = join(homedir(), FOLDER) }: { recipient: string; folder?: string | undefined },
  { settingsOf, wrangler }: Pick<Neighbors, "settingsOf" | "wrangler">,
): Promise<boolean> {
  const name = databaseNameIn(settingsOf(stage));
  const encrypter = encrypterFor(recipient);
  const made_at = `${new Date().toISOString().slice(0, 19)}Z`;
  const copy = resolve(folder, `${name}-${made_at.replaceAll(":", "-")}.sql.age`);
  await mkdir(resolve(folder), { recursive: true, mode: 0o700 });
  const { migrations } = databaseOf(stage, wrangler);
  await inPrivateFolder(async ({ folder: private_, signal, unlessStopped }) => {
    const plain = join(private_, "database.sql");
    console.log(`Copying ${name}, which answers nobody meanwhile …`);
    const args = ["d1", "export", "DB", "--remote", "--skip-confirmation", "--output", plain];
    const { succeeded, output } = wrangler(args, { stage, folder: API_FOLDER, withinMs: undefined });
    await unlessStopped();
    if (!succeeded) throw new ToolError(`✗ ${failureIn(output)}`);
    if (!(statSync(plain, { throwIfNoEntry: false })?.size ?? 0))
      throw new ToolError("✗ Cloudflare sent an empty copy.");
    const label = lineOf({ stage, made_at, migrations });
    const encrypted = await encrypter.encrypt(bytesOf(plain, label));
    const target = createWriteStream(copy, { flags: "wx", mode: 0o600 });
    await pipeline(encrypted, target, { signal }).catch(async (error) => {
      // Another copy of the same second stays.
      if (error.code !== "EEXIST") await rm(copy, { force: true });
      throw error;
    });
  });
  console.log(
    `✓ The encrypted copy is ${copy}\n  Move it out of the Cloudflare account's reach, and delete it after 30 days.`,
  );
  return true;
}

if (isStarted(import.meta.url)) {
  await runTool(() => {
    const options = { recipient: "public key", folder: "folder" };
    const { target, values } = readCommandLine({ script: "backup", targets: STAGES, options, required: ["recipient"] });
    return backup(target, { recipient: values.recipient ?? "", folder: values.folder }, neighbors);
  });
}
