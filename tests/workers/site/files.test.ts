import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN } from "../../support/workers/workers";
import { startDeployedSite } from "./deployed-site";

/* Threat E: static files, which Cloudflare serves beside the Worker. */

const site = await startDeployedSite();
afterAll(() => site.dispose());
const visitor = siteVisitor(site, ORIGIN);

describe("the files that the form names", () => {
  let paths: string[] = [];
  beforeAll(async () => {
    const { body } = await visitor.get("/subscription");
    paths = [...new Set(body.match(/\/build\/[\w./()$-]+\.js/g))];
  });

  test("are more than three scripts", () => {
    expect(paths.length).toBeGreaterThan(3);
  });

  test("are kept for a year, since their names have a hash", async () => {
    for (const path of paths)
      expect(await visitor.get(path)).toHaveHeader("Cache-Control", "public, max-age=31536000, immutable");
  });

  test("are scripts for this origin only, which are not sniffed", async () => {
    for (const path of paths)
      expect(await visitor.get(path), path).toHaveHeaders({
        "Content-Type": "text/javascript; charset=utf-8",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
      });
  });
});

describe("an image", () => {
  test.each([
    { path: "/favicon.svg", type: "image/svg+xml; charset=utf-8" },
    { path: "/favicon.ico", type: "image/vnd.microsoft.icon" },
    { path: "/apple-touch-icon.png", type: "image/png" },
    { path: "/icon-512.png", type: "image/png" },
    { path: "/share/home.png", type: "image/png" },
  ])("can be shown by other sites, and is revalidated each time: $path", async ({ path, type }) => {
    expect(await visitor.get(path)).toHaveHeaders({
      "Content-Type": type,
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Cache-Control": "public, max-age=0, must-revalidate",
    });
  });

  test("runs nothing when it is opened directly", async () => {
    expect(await visitor.get("/favicon.svg")).toHaveHeader("Content-Security-Policy", /^default-src 'none'.*sandbox/);
  });
});

test.each([
  "/build/gone-ABCDEFGH.js",
  "/_headers",
  "/build/",
  "/favicon.svg/",
  "/.git/HEAD",
  "/.env",
  "/.dev.vars",
  "/wrangler.toml",
  "/package.json",
])("the file %s does not exist, and no cache stores that", async (path) => {
  const answer = await visitor.get(path);
  expect(answer).toHaveStatus(404);
  expect(answer).toHaveHeader("Cache-Control", "no-store");
});
