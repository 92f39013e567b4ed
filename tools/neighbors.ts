import { settingsOf } from "./wrangler/worker-settings";
import { runWrangler } from "./wrangler/wrangler";

/** Where a command reaches beyond its own process. Tests pass their own. */
export const neighbors = {
  settingsOf,
  /** Runs Wrangler, which asks Cloudflare. */
  wrangler: runWrangler,
  /** The environment variables, some of which hold secrets. */
  env: process.env,
};

export type Neighbors = typeof neighbors;
