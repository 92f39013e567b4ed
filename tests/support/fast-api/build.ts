import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const BUNDLE = "subscription-api/fast-api.js";
const output = join(import.meta.dirname, "../../../build", BUNDLE);

let built: Promise<{ bundle: string }> | undefined;

/** Builds the API of worker.ts once; an option for `startSubscriptionApi` and `startBackend`. */
export function fastApi(): Promise<{ bundle: string }> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<{ bundle: string }> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["node:*", "cloudflare:*"],
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // Renamed when complete, since another test process may be reading it.
  const unfinished = `${output}.${process.pid}`;
  await writeFile(unfinished, outputFiles[0]?.text ?? "");
  await rename(unfinished, output);
  return { bundle: BUNDLE };
}
