import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";

const root = fileURLToPath(new URL("../../..", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    /** By the path of wrangler.toml and the environment: JSON of what a Worker is bound to. */
    settings: Record<string, string>;
  }
}

/** Reads each wrangler.toml once: Wrangler takes seconds to load. */
export default function readSettings(project: TestProject): void {
  const settings: Record<string, string> = {};
  for (const folder of ["", "functions/subscription-api/", "functions/stripe-simulator/"]) {
    for (const env of folder.includes("simulator") ? [""] : ["", "production"]) {
      const file = `${folder}wrangler.toml`;
      const config = unstable_readConfig({ config: root + file, env }, { hideWarnings: true });
      const options = unstable_getMiniflareWorkerOptions(
        { ...config, secrets: undefined, assets: undefined },
        env || undefined,
      );
      const { bindings, ratelimits, email } = options.workerOptions;
      const sendsMail = (email?.send_email ?? []).length > 0;
      settings[`${file} ${env}`] = JSON.stringify({ config, options: { bindings, ratelimits, sendsMail } });
    }
  }
  project.provide("settings", settings);
}
