import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for temporary files that only this user can read. First removes the folders of processes that were killed. */
export function newTemporaryFolder(): string {
  const top = realpathSync(tmpdir());
  for (const name of readdirSync(top)) {
    const [folder, [, pid] = []] = [join(top, name), /^citewell-tool-(\d+)-/.exec(name) ?? []];
    if (pid === undefined || isRunning(Number(pid)) || !isOwn(folder)) continue;
    rmSync(folder, { recursive: true });
    console.error(`Removed ${folder}, which a killed command had left with unencrypted data or logs.`);
  }
  // Node makes it with mode 0700.
  return mkdtempSync(join(top, `citewell-tool-${process.pid}-`));
}

/** Windows has no user IDs, and a folder for temporary files for each user. */
const isOwn = (folder: string) => lstatSync(folder).uid === (process.getuid?.() ?? 0);

/** Another user's process counts as running. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Object(error).code !== "ESRCH";
  }
}
