import { relative } from "node:path";
import * as z from "zod";
import { parseJson } from "../../app/shared/parse-json";
import { root } from "../wrangler/wrangler";

const logged = z.object({
  level: z.string().optional(),
  event: z.string(),
  method: z.string().default(""),
  route: z.string().default(""),
  path: z.string().optional(),
  status: z.number().default(0),
});

export function shownOf(line: string): string | undefined {
  const { data } = logged.safeParse(parseJson(line));
  if (!data) return /✘|\[ERROR\]/.test(line) ? line : undefined;
  const { level, event, method, route, path, status } = data;
  if (event === "request") return status >= 400 ? `${method} ${path ?? route} ${status}` : undefined;
  return level === "info" ? undefined : line;
}

const counted = z.object({ event: z.literal("funnel"), step: z.string(), package: z.string(), field: z.string() });

/** Forwards a logged count to the simulator's page, which stands in for Cloudflare's Analytics Engine. */
export async function showCount(line: string, simulatorUrl: string): Promise<void> {
  const { success, data } = counted.safeParse(parseJson(line));
  if (!success) return;
  const { event: _, ...count } = data;
  await fetch(`${simulatorUrl}/funnel`, { method: "POST", body: JSON.stringify(count) }).catch(() => undefined);
}

/** True for SQLite's errors about a damaged file. */
export function saysDamaged(line: string): boolean {
  return /SQLITE_(?:CORRUPT|NOTADB)|file is not a database|database disk image is malformed/i.test(line);
}

/** @param state the folder of the local database */
export function damagedSentence(state: string): string {
  const shown = relative(root, state);
  return `The local database in ${shown} is damaged: delete it with rm -rf ${shown} and start again; it holds nothing but what was tried out here.`;
}
