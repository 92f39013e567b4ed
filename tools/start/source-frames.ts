import { readFileSync, statSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { root } from "../wrangler/wrangler";

/** The source map that esbuild writes beside a bundle, without the sources' texts: https://tc39.es/ecma426/ */
const payload = z.object({
  ...{ file: z.string().default(""), version: z.number(), sourceRoot: z.string().default("") },
  ...{ sources: z.array(z.string()), names: z.array(z.string()) },
  mappings: z.string(),
});

/** By the bundle's path, as of the build at this time. */
const maps = new Map<string, { at: number; map: SourceMap }>();

/**
 * @param frame of a built Worker as V8 writes it, such as `at f (file:///…/build/site/site.js:18:9458)`
 * @returns for example `at f (app/routes/subscription.tsx:60:9)`; the frame unchanged if no source map knows it
 */
export function sourceFrame(frame: string): string {
  const [, before = "", url = "", line, column, after = ""] =
    /^(at .*?)(file:\/\/.+):(\d+):(\d+)(\)?)$/.exec(frame) ?? [];
  const bundle = pathOf(url);
  const origin = mapOf(bundle)?.findOrigin(Number(line), Number(column));
  if (origin === undefined || !("fileName" in origin)) return frame;
  const source = relative(root, resolve(dirname(bundle), decodeURIComponent(origin.fileName)));
  return `${before}${source}:${origin.lineNumber}:${origin.columnNumber}${after}`;
}

/** Empty for a URL that is no path on this machine, such as one without a drive on Windows. */
function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return "";
  }
}

function mapOf(bundle: string): SourceMap | undefined {
  const at = statSync(`${bundle}.map`, { throwIfNoEntry: false })?.mtimeMs;
  if (bundle === "" || at === undefined) return undefined;
  const known = maps.get(bundle);
  if (known?.at === at) return known.map;
  const { data } = payload.safeParse(parseJson(readFileSync(`${bundle}.map`, "utf8")));
  // A build may be writing it.
  if (!data) return undefined;
  const map = new SourceMap({ ...data, sourcesContent: [] });
  maps.set(bundle, { at, map });
  return map;
}
