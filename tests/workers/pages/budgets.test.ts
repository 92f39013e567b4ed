import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { root } from "../../../tools/wrangler/wrangler";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Size limits in bytes, which are the same on every machine. `npm run bench` measures speed. */

/** The least that a server sends before it waits for the browser (RFC 6928): ten segments of 1,460 bytes. */
const FIRST_ROUND_TRIP_BYTES = 14_600;
const SIGNUP_SCRIPT_BYTES = 103_500;
const WORKER_BYTES = 172 * 1024;

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const PATHS = [...PUBLIC_PATHS, "/subscription"];

test.each(PATHS)("%s comes within the first round trip, and waits for no file or font to paint", async (path) => {
  const { body, headers, each } = await open(path);
  const head = ["HTTP/1.1 200 OK", ...[...headers].map((header) => header.join(": ")), "\r\n"].join("\r\n");
  expect(gzipSync(body, { level: 6 }).length + head.length).toBeLessThanOrEqual(FIRST_ROUND_TRIP_BYTES);
  expect(each("style", "class"), "inlined stylesheets").toHaveLength(1);
  expect(each("link[rel=stylesheet], link[rel=preload]", "href"), "files before the first paint").toEqual([]);
  expect(each("img:not([src^='data:']):not([loading=lazy])", "src"), "images that are not lazy").toEqual([]);
  const fonts = [...body.matchAll(/@font-face\{[^}]*url\([^}]*\}/g)].map(([rule]) => rule);
  expect(fonts.filter((rule) => !/font-display:(swap|optional)/.test(rule))).toEqual([]);
});

test("the scripts of the form are within their budget, compiled while they arrive, and without the card form", async () => {
  const scripts: { path: string; size: number; isEager: boolean }[] = [];
  const { body } = await open("/subscription");
  const paths = new Set([...body.matchAll(/"(\/build\/[^"]+\.js)"/g)].map(([, path = ""]) => path));
  // Grows while it is walked: by what each script imports before it runs. An import for later has a bracket.
  for (const path of paths) {
    const code = await readFile(join(root, "public", path), "utf8");
    const isEager = code.startsWith("//# allFunctionsCalledOnLoad\n");
    scripts.push({ path, size: brotliCompressSync(code).length, isEager });
    for (const [, name = ""] of code.matchAll(/\b(?:from|import)\s*"([^"]+)"/g))
      paths.add(new URL(name, new URL(path, site.url)).pathname);
  }
  expect(scripts.length, "scripts found").toBeGreaterThan(3);
  const sum = scripts.reduce((sum, { size }) => sum + size, 0);
  expect(sum, JSON.stringify(scripts)).toBeLessThanOrEqual(SIGNUP_SCRIPT_BYTES);
  const late = scripts.filter(({ isEager }) => !isEager).map(({ path }) => path);
  expect(late, "compiled later").toEqual([expect.stringContaining("/manifest-")]);
  const built = await readdir(join(root, "public/build"), { recursive: true });
  expect(built.filter((name) => name.includes("stripe-elements"))).toHaveLength(1);
  expect([...paths].filter((path) => path.includes("stripe-elements"))).toEqual([]);
});

test("the site's Worker is within its budget", async () => {
  const worker = await readFile(join(root, "build/site/site.js"));
  expect(gzipSync(worker).length).toBeLessThanOrEqual(WORKER_BYTES);
});
