import { company } from "../app/company";
import { buildBrowser } from "./build";
import { type Git, gitIn } from "./releases/commit";
import { settingsOf } from "./wrangler/worker-settings";
import { root, runWrangler } from "./wrangler/wrangler";

/** Where a command reaches beyond its own process. Tests pass their own. */
export type Neighbors = {
  /** The checkout. */
  folder: string;
  git: Git;
  company: Record<string, string | string[]>;
  settingsOf: typeof settingsOf;
  /** Runs Wrangler, which asks Cloudflare. */
  wrangler: typeof runWrangler;
  /** Asks the site, the API and Stripe. */
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  buildBrowser: () => Promise<void>;
  /** The environment variables, some of which hold secrets. */
  env: NodeJS.ProcessEnv;
};

export const neighbors: Neighbors = {
  folder: root,
  git: gitIn(root),
  company,
  settingsOf,
  wrangler: runWrangler,
  fetch: (url, init) => fetch(url, init),
  buildBrowser,
  env: process.env,
};
