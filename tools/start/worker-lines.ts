import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
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

const failed = z.object({ event: z.string(), error: z.string(), message: z.string(), stack: z.array(z.string()) });

/** A logged error of a development build with its message, and its places in this repository; other lines unchanged. */
export function withPlaces(line: string): string {
  const { data } = failed.safeParse(parseJson(line));
  if (!data) return line;
  const places = data.stack.map(inSource).filter((frame) => !/node_modules|file:/.test(frame));
  return [`${data.event}: ${data.error}: ${data.message}`, ...places].join("\n    ");
}

/** By the source map beside the bundle. */
function inSource(frame: string): string {
  return frame.replace(/file:\/\/([^:\s)]+):(\d+):(\d+)/, (place, file: string, line, column) => {
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry)) return place;
    const source = relative(root, resolve(dirname(file), entry.originalSource));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
