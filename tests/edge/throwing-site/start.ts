import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { type RunningWorker, startSite } from "../../workers";

const root = join(import.meta.dirname, "../../..");

/** Builds the site with routes that throw, and starts it as `startSite` does. */
export async function startThrowingSite(options: Parameters<typeof startSite>[0] = {}): Promise<RunningWorker> {
  const bundle = "site/throwing-site.js";
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    alias: { "@remix-run/dev/server-build": join(root, "build/index.js") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await writeFile(join(root, "build", bundle), outputFiles[0]?.text ?? "");
  return startSite({ ...options, bundle });
}
