import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { parseReleases } from "../../../tools/releases/kept-releases";
import { root } from "../../../tools/wrangler/wrangler";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What may be sent, in bytes: the same on every machine. How fast it is, `npm run bench` measures. */

/** The least that a server sends before it waits for the browser (RFC 6928): ten segments of 1,460 bytes. */
const FIRST_ROUND_TRIP_BYTES = 14_600;
const SIGNUP_SCRIPT_BYTES = 106_000;
const WORKER_BYTES = 200 * 1024;

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

test.each(["/", "/pricing", "/privacy", "/terms", "/security", "/subscription"])(
  "%s arrives within the first round trip, headers included, and needs no other file to paint",
  async (path) => {
    const { body, headers, document } = await open(path);
    const head = ["HTTP/1.1 200 OK", ...[...headers].map((header) => header.join(": ")), "\r\n"].join("\r\n");
    expect(gzipSync(body, { level: 6 }).length + head.length).toBeLessThanOrEqual(FIRST_ROUND_TRIP_BYTES);
    expect(document.querySelectorAll("style")).toHaveLength(1);
    const blocking = "link[rel=stylesheet], link[rel=preload], img:not([src^='data:']):not([loading=lazy])";
    expect(document.querySelectorAll(blocking)).toHaveLength(0);
    for (const [rule] of body.matchAll(/@font-face\{[^}]*url\([^}]*\}/g))
      expect(rule).toMatch(/font-display:(swap|optional)/);
  },
);

/** What some code imports before it runs; an import for later has a bracket. */
const importsIn = (code: string) => [...code.matchAll(/\b(?:from|import)\s*"([^"]+)"/g)].map(([, name = ""]) => name);

test("the sign-up's scripts are within their budget, and exclude the card step's; so is the Worker's", async () => {
  const { body, each } = await open("/subscription");
  const linked = each("link[rel=modulepreload]", "href").map((path) => path ?? "");
  const sizes = new Map<string, number>();
  const paths = new Set([...linked, ...importsIn(body)]);
  // Grows while it is walked: by what each script imports.
  for (const path of paths) {
    const code = await readFile(join(root, "public", path), "utf8");
    sizes.set(path, brotliCompressSync(code).length);
    for (const name of importsIn(code)) paths.add(new URL(name, new URL(path, site.url)).pathname);
  }
  expect(sizes.size).toBeGreaterThan(3);
  const sum = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect(sum, JSON.stringify([...sizes])).toBeLessThanOrEqual(SIGNUP_SCRIPT_BYTES);
  const [built] = parseReleases(await readFile(join(root, "public/releases.json"), "utf8"));
  expect(built?.files.filter((name) => name.includes("card-form"))).toHaveLength(1);
  expect([...paths].filter((path) => path.includes("card-form"))).toEqual([]);
  expect(gzipSync(await readFile(join(root, "build/site/site.js"))).length).toBeLessThanOrEqual(WORKER_BYTES);
});
