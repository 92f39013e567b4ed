import { join } from "node:path";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import { expect, test } from "vitest";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

const root = join(import.meta.dirname, "../..");

test("a route that throws gives 'Unexpected Application Error' with a request id and no stack", async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, "throwing-site.ts")],
    alias: { "@remix-run/dev/server-build": join(root, "build/index.js") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  const site = new Miniflare({
    modules: [{ type: "ESModule", path: "site.js", contents: bundle.outputFiles[0]?.text ?? "" }],
    compatibilityDate: workerOptions.compatibilityDate,
    bindings: workerOptions.bindings,
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio: () => {},
  });
  for (const path of ["/pricing", "/pricing.data"]) {
    const response = await site.dispatchFetch(`http://localhost${path}`, {
      headers: { "CF-Ray": "id-of-this-request" },
    });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toMatch(/words-of-the-error|throwing-site|\bat \w+ \(/);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    if (path === "/pricing") {
      expect(text).toContain("Unexpected Application Error");
      expect(text).toContain("id-of-this-request");
    }
  }
  expect((await site.dispatchFetch("http://localhost/")).status).toBe(200);
  await site.dispose();
});
