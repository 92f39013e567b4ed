import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { type RunningWorker, startSite } from "../workers";

const root = join(import.meta.dirname, "../../..");

/** Builds the site with a fault put in, and starts it as `startSite` does. */
export async function startBrokenSite(
  fault: "throwing-routes" | "throwing-limiter",
  options: Parameters<typeof startSite>[0] = {},
): Promise<RunningWorker> {
  const bundle = `site/${fault}.js`;
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, `${fault}.ts`)],
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
