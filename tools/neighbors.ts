import { createInterface } from "node:readline";
import { company } from "../app/company";
import { buildBrowser } from "./build";
import { type Git, gitIn } from "./releases/commit";
import { settingsOf } from "./wrangler/worker-settings";
import { root, runWrangler } from "./wrangler/wrangler";

/** Where a command reaches beyond its own process. Tests pass their own. */
export type Neighbors = {
  folder: string;
  git: Git;
  company: Record<string, string | string[]>;
  settingsOf: typeof settingsOf;
  wrangler: typeof runWrangler;
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  buildBrowser: () => Promise<void>;
  /** Asks the person at the terminal, or reads the first line of standard input. */
  ask: (question: string) => Promise<string>;
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
  ask,
  env: process.env,
};

async function ask(question: string): Promise<string> {
  // Standard output may go to a file.
  process.stderr.write(question);
  for await (const line of createInterface({ input: process.stdin })) return line;
  return "";
}
