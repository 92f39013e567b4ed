import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
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

describe.each([...PUBLIC_PATHS, "/subscription"])("%s", (path) => {
  test("arrives within the first round trip, headers included", async () => {
    const { body, headers } = await open(path);
    const head = ["HTTP/1.1 200 OK", ...[...headers].map((header) => header.join(": ")), "\r\n"].join("\r\n");
    expect(gzipSync(body, { level: 6 }).length + head.length).toBeLessThanOrEqual(FIRST_ROUND_TRIP_BYTES);
  });

  test("needs no other file to paint, and shows its text before its fonts", async () => {
    const { body, each, document } = await open(path);
    expect(document.querySelectorAll("style"), "inlined stylesheets").toHaveLength(1);
    expect(each("link[rel=stylesheet], link[rel=preload]", "href"), "files before the first paint").toEqual([]);
    expect(each("img:not([src^='data:']):not([loading=lazy])", "src"), "images that are not lazy").toEqual([]);
    const fonts = [...body.matchAll(/@font-face\{[^}]*url\([^}]*\}/g)].map(([rule]) => rule);
    expect(fonts.filter((rule) => !/font-display:(swap|optional)/.test(rule))).toEqual([]);
  });
});

describe("the scripts of the sign-up", () => {
  /** What some code imports before it runs; an import for later has a bracket. */
  const importsIn = (code: string) => [...code.matchAll(/\b(?:from|import)\s*"([^"]+)"/g)].map(([, name = ""]) => name);

  /** Each script that the form's page needs, by its path. */
  async function neededScripts() {
    const { body } = await open("/subscription");
    const scripts = new Map<string, string>();
    const paths = new Set([...body.matchAll(/"(\/build\/[^"]+\.js)"/g)].map(([, path = ""]) => path));
    // Grows while it is walked: by what each script imports.
    for (const path of paths) {
      const code = await readFile(join(root, "public", path), "utf8");
      scripts.set(path, code);
      for (const name of importsIn(code)) paths.add(new URL(name, new URL(path, site.url)).pathname);
    }
    return scripts;
  }

  test("are within their budget", async () => {
    const sizes = [...(await neededScripts())].map(([path, code]) => ({ path, size: brotliCompressSync(code).length }));
    expect(sizes.length, "scripts found").toBeGreaterThan(3);
    const sum = sizes.reduce((sum, { size }) => sum + size, 0);
    expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(SIGNUP_SCRIPT_BYTES);
  });

  test("are compiled while they arrive, as far as they have functions", async () => {
    const late = [...(await neededScripts())].filter(([, code]) => !code.startsWith("//# allFunctionsCalledOnLoad\n"));
    expect(late.map(([path]) => path)).toEqual([expect.stringContaining("/manifest-")]);
  });

  test("are without the card form, which the card step loads", async () => {
    const built = await readdir(join(root, "public/build"), { recursive: true });
    expect(built.filter((name) => name.includes("stripe-elements"))).toHaveLength(1);
    expect([...(await neededScripts()).keys()].filter((path) => path.includes("stripe-elements"))).toEqual([]);
  });
});

test("the site's Worker is within its budget", async () => {
  const worker = await readFile(join(root, "build/site/site.js"));
  expect(gzipSync(worker).length).toBeLessThanOrEqual(WORKER_BYTES);
});
