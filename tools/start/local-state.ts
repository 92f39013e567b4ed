import { relative } from "node:path";
import { root } from "../wrangler";

/** What SQLite says of a damaged file. */
const DAMAGED = /SQLITE_(?:CORRUPT|NOTADB)|file is not a database|database disk image is malformed/i;

/** Whether a line that Wrangler or a Worker writes says that a local database is damaged. */
export function saysDamaged(line: string): boolean {
  return DAMAGED.test(line);
}

/** What to do about it, in one sentence. */
export function damagedSentence(folder: string): string {
  const shown = relative(root, folder);
  return `The local database in ${shown} is damaged: delete it with rm -rf ${shown} and start again; it holds nothing but what was tried out here.`;
}
