import { watch } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../wrangler/wrangler";
import { bundle } from "./build";
import { launch } from "./processes";
import type { LocalWorker } from "./run-worker";

/** Several files change at once. */
const SETTLED_AFTER_MS = 200;

const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");

/** The files and folders of each Worker; Remix's compiler writes the site's. */
const SOURCES: Record<string, string[]> = {
  site: ["build/index.js", "functions/site.ts", "wrangler.toml"],
  "subscription-api": ["functions/subscription-api", "app/contract", "app/shared"],
  "stripe-simulator": ["functions/stripe-simulator", "app/contract"],
};

/**
 * Builds each Worker again when its sources change, and reloads it. A failed build is shown, and the Worker stays as it is.
 */
export async function watchSources(workers: { name: string; folder: string; running: LocalWorker }[]): Promise<void> {
  // Everything but its progress: an error is followed by its place in the source.
  launch(
    process.execPath,
    [remix, "watch"],
    (line) => /^\s*(?:$|💿| ?info\b|Watching)|rebuil/i.test(line) || console.log(line),
  );
  for (const { name, folder, running } of workers) {
    let timer: NodeJS.Timeout | undefined;
    let last = Promise.resolve();
    let hasMigration = false;
    const rebuild = async () => {
      try {
        if (hasMigration) await running.migrate();
        hasMigration = false;
        await bundle(name, folder);
        await running.reload();
        console.log(`${name} reloaded`);
      } catch (error) {
        console.log(error instanceof Error ? error.message : error);
      }
    };
    for (const source of SOURCES[name] ?? []) {
      watch(join(root, source), { recursive: true }, (_event, path) => {
        if (path?.includes(".wrangler")) return;
        hasMigration ||= path?.endsWith(".sql") ?? false;
        clearTimeout(timer);
        timer = setTimeout(() => {
          last = last.then(rebuild);
        }, SETTLED_AFTER_MS);
      });
    }
  }
}
