import { relative } from "node:path";
import { root } from "../wrangler";

const DAMAGED = /SQLITE_(?:CORRUPT|NOTADB)|file is not a database|database disk image is malformed/i;

export function saysDamaged(line: string): boolean {
  return DAMAGED.test(line);
}

export function damagedSentence(folder: string): string {
  const shown = relative(root, folder);
  return `The local database in ${shown} is damaged: delete it with rm -rf ${shown} and start again; it holds nothing but what was tried out here.`;
}
