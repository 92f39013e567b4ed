import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { parseReleases } from "../../../tools/releases/kept-releases";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What may be sent, in bytes: the same on every machine. How fast it is, `npm run bench` measures. */

/** The least that a server sends before it waits for the browser (RFC 6928): ten segments of 1,460 bytes. */
const FIRST_ROUND_TRIP_BYTES = 14_600;
const SIGNUP_SCRIPT_BYTES = 102_000;
const WORKER_BYTES = 200 * 1024;

const root = join(import.meta.dirname, "../../..");

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

describe.each(["/", "/pricing", "/privacy", "/terms", "/security", "/subscription"])("%s", (path) => {
  test("arrives within the first round trip, headers included", async () => {
    const { body, headers } = await open(path);
    const head = ["HTTP/1.1 200 OK", ...[...headers].map((header) => header.join(": ")), "\r\n"].join("\r\n");
    expect(gzipSync(body, { level: 6 }).length + head.length).toBeLessThanOrEqual(FIRST_ROUND_TRIP_BYTES);
  });

  test("has its stylesheet inline, and no blocking file in its head", async () => {
    const { document } = await open(path);
    expect(document.querySelectorAll("style")).toHaveLength(1);
    expect(document.querySelectorAll("link[rel=stylesheet], link[rel=preload]")).toHaveLength(0);
  });

  test("loads no font before its first paint, and its images are inline", async () => {
    const { document, body } = await open(path);
    for (const [rule] of body.matchAll(/@font-face\{[^}]*url\([^}]*\}/g)) {
      expect(rule).toMatch(/font-display:(swap|optional)/);
    }
    expect(document.querySelectorAll("img:not([src^='data:']):not([loading=lazy])")).toHaveLength(0);
  });
});

test("the sign-up's scripts are within their budget, and exclude the card step's", async () => {
  const scripts = await signupScripts();
  const sizes = [...scripts].map(([path, code]) => [path, brotliCompressSync(code).length] as const);
  expect(sizes.length).toBeGreaterThan(3);
  expect(
    sizes.reduce((sum, [, size]) => sum + size, 0),
    JSON.stringify(sizes),
  ).toBeLessThanOrEqual(SIGNUP_SCRIPT_BYTES);

  const [built] = parseReleases(await readFile(join(root, "public/releases.json"), "utf8"));
  expect(built?.files.filter((name) => name.includes("card-form"))).toHaveLength(1);
  expect([...scripts.keys()].filter((path) => path.includes("card-form"))).toEqual([]);
});

test("the Worker's script is within its budget", async () => {
  const worker = await readFile(join(root, "build/site/site.js"));
  expect(gzipSync(worker).length).toBeLessThanOrEqual(WORKER_BYTES);
});

/** The files that the sign-up's page loads, by path. */
async function signupScripts(): Promise<Map<string, string>> {
  const { body, document } = await open("/subscription");
  const linked = [...document.querySelectorAll("link[rel=modulepreload]")].map((link) => link.getAttribute("href"));
  return scriptsOf([...linked.map((path) => path ?? ""), ...importsIn(body)]);
}

/** The files at some paths and everything that they import before they run, by path. */
async function scriptsOf(paths: string[], found = new Map<string, string>()): Promise<Map<string, string>> {
  for (const path of paths) {
    if (found.has(path)) continue;
    const code = await readFile(join(root, "public", path), "utf8");
    found.set(path, code);
    const imported = importsIn(code).map((name) => new URL(name, new URL(path, site.url)).pathname);
    await scriptsOf(imported, found);
  }
  return found;
}

/** What some code imports before it runs; an import for later has a bracket. */
function importsIn(code: string): string[] {
  return [...code.matchAll(/\b(?:from|import)\s*"([^"]+)"/g)].map(([, name]) => name ?? "");
}
