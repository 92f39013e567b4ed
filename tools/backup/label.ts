import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { STAGES } from "../wrangler/wrangler";

/** `made_at` is when the export began, `migrations` are the database's schema. */
const label = z.object({ stage: z.enum(STAGES), made_at: z.iso.datetime(), migrations: z.array(z.string()) });

export type Label = z.output<typeof label>;

const BEGINNING = "-- npm run backup: ";

/** The first line of a copy, a comment of SQL. */
export const lineOf = (of: Label): string => `${BEGINNING}${JSON.stringify(of)}\n`;

/** The label of a decrypted copy; undefined for any other file. */
export async function labelIn(file: string): Promise<Label | undefined> {
  for await (const line of createInterface({ input: createReadStream(file) }))
    return line.startsWith(BEGINNING) ? label.safeParse(parseJson(line.slice(BEGINNING.length))).data : undefined;
  return undefined;
}
