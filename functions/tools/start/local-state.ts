import { open, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { root } from "../wrangler";

/** What every SQLite file begins with: https://www.sqlite.org/fileformat2.html#the_database_header */
const HEADER = "SQLite format 3\0";

/** What SQLite says of a damaged file. */
const DAMAGED = /SQLITE_(?:CORRUPT|NOTADB)|file is not a database|database disk image is malformed/i;

/** Whether a line that Wrangler or a Worker writes says that a local database is damaged. */
export function saysDamaged(line: string): boolean {
  return DAMAGED.test(line);
}

/** A database below the folder that is none, by its first bytes. Damage further in shows when it is read. */
export async function damagedFile(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith(".sqlite")) continue;
    const path = join(entry.parentPath, entry.name);
    const file = await open(path);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEADER.length) });
    await file.close();
    // SQLite makes an empty file before its first write.
    if (bytesRead > 0 && buffer.toString("latin1") !== HEADER) return path;
  }
  return undefined;
}

/** What to do about a damaged database, in one sentence. */
export function damagedSentence(folder: string, file?: string): string {
  const named = file ? ` (${relative(folder, file)})` : "";
  const shown = relative(root, folder);
  return `The local database in ${shown} is damaged${named}: delete it with rm -rf ${shown} and start again; it holds nothing but what was tried out here.`;
}
