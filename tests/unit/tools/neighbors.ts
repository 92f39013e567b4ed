import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import type { Neighbors } from "../../../tools/neighbors";
import { PACKAGES } from "../../../tools/releases/prices";
import { API_FOLDER, type Stage } from "../../../tools/wrangler/wrangler";
import { filledInCompany, SECRETS } from "../../support/filled-in-settings";
import { deployment } from "./filled-in-deployment";

/* Stand-ins for what commands reach, with the answers of the real ones. */

type Ran = ReturnType<Neighbors["wrangler"]>;
const succeeds = (stdout: string): Ran => ({ succeeded: true, stdout, output: stdout });

/** An account at one of whose commands Wrangler says this; by default, it could not reach Cloudflare. */
export const failing = (at: RegExp, output = "✘ [ERROR] A fetch request failed.", succeeded = false) => ({
  account: { faults: [{ at, as: { succeeded, stdout: output, output } }] },
});
export type Version = { id: string; metadata: { created_on: string }; annotations: Record<string, string> };

/** The API's catalog, if it is this release's. */
export const SOLD = PACKAGES.map((one) => ({ ...one, stripe_price_id: "price_0123456789abcdef", status: "listed" }));
/** The API sells the first plan for more and the second one for less than this release. */
export const REPRICED = SOLD.map((one, index) => ({ ...one, price_cents: [99_900, 100][index] ?? one.price_cents }));

export const MIGRATION = "0001_first_release.sql";
/** A checkout with these migrations. */
export function checkoutWith(...migrations: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "checkout-"));
  mkdirSync(join(folder, API_FOLDER, "migrations"), { recursive: true });
  for (const name of migrations) writeFileSync(join(folder, API_FOLDER, "migrations", name), "");
  return folder;
}
const checkout = checkoutWith(MIGRATION);

type Account = {
  secrets?: { site: string[]; api: string[] };
  migrations?: string[];
  packages?: object[];
  versions?: { site?: Version[]; api?: Version[] };
  faults?: { at: RegExp; as: Ran }[];
  stage?: Stage;
};

/** The Cloudflare account of a stage. `faults` end the first command whose line matches: `{site or api} {arguments}`. */
export function cloudflare({
  secrets = SECRETS,
  migrations = [MIGRATION],
  packages = SOLD,
  versions = {},
  faults = [],
  stage = "production",
}: Account = {}) {
  const changes: string[] = [];
  const asked: string[] = [];
  let applied = migrations;
  /** Every command, whole: without --remote, for example, Wrangler would work on a database on this machine. */
  const commands: { of: RegExp; answer: (worker: "site" | "api", version: string) => unknown }[] = [
    { of: /^(?:site|api) secret list --format json$/, answer: (worker) => secrets[worker].map((name) => ({ name })) },
    {
      of: /^api d1 execute DB --remote --json --command SELECT [^\n]+; SELECT [^\n]+$/,
      answer: () => [{ results: applied.map((name) => ({ name })) }, { results: packages }],
    },
    { of: /^(?:site|api) versions list --json$/, answer: (worker) => versions[worker] ?? [] },
    {
      of: /^api d1 migrations apply DB --remote$/,
      answer: () => {
        if (applied.length === 0) changes.push("migrations");
        applied = [MIGRATION];
      },
    },
    {
      of: /^(?:site|api) deploy --tag [\da-f]{12} --message .+ --define COMMIT:"[\da-f]{12}"$/,
      answer: (worker) => void changes.push(`${worker} deployed`),
    },
    {
      of: /^(?:site|api) rollback \S+ --message Rolled back to [\da-f]{12} --yes$/,
      answer: (worker, version) => void changes.push(`${worker} ${version}`),
    },
  ];
  const wrangler: Neighbors["wrangler"] = (args, { folder, stage: asStage }) => {
    const worker = folder === API_FOLDER ? "api" : "site";
    const line = `${worker} ${args.join(" ")}`;
    asked.push(line);
    const fault = faults.find(({ at }) => at.test(line));
    if (fault) return fault.as;
    const command = commands.find(({ of }) => of.test(line));
    if (!command || asStage !== stage) throw new Error(`The stand-in for Cloudflare does not know: ${asStage} ${line}`);
    return succeeds(`▲ [WARNING] Wrangler is out of date.\n${JSON.stringify(command.answer(worker, args[1] ?? ""))}`);
  };
  return { wrangler, changes, asked };
}

/** A committed repository. @param answers by the first argument of git; undefined: it fails */
export const repository =
  (answers: Record<string, string | undefined> = {}): Neighbors["git"] =>
  ([command = ""]) =>
    ({ log: `${COMMIT} A release\n`, status: "", "ls-files": "", ...answers })[command];

export const COMMIT = "0123456789ab";

export type Answer = (path: string, init: RequestInit) => Response | Promise<Response>;

/** How a host answers if it is not itself. */
export const HOST = {
  silent: () => {
    throw new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND") });
  },
  // Only to a caller that does not give up.
  slow: (_, { signal }) => (signal ? Promise.reject(signal.reason) : new Response("Late")),
  challenging: () => new Response("Just a moment...", { status: 403, headers: { "cf-mitigated": "challenge" } }),
} satisfies Record<string, Answer>;

/** `fetch` for these hosts; no other one exists. */
export const hostsOf =
  (hosts: Record<string, Answer>): Neighbors["fetch"] =>
  async (url, init = {}) => {
    const { host, pathname, search } = new URL(url);
    return (hosts[host] ?? HOST.silent)(pathname + search, init);
  };

/** Every request waits longer than its sender. */
export const timeIsUp = () =>
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new DOMException("too slow", "TimeoutError")));

/** The site is deployed alone, in front of somebody else's API. */
export const siteAlone: Neighbors["settingsOf"] = (target) => {
  const { site, other } = deployment();
  return target === "production" ? { site, api: undefined } : other;
};

/** The environment of an operator. */
export const OPERATOR = { OPERATOR_TOKEN: "the-token-of-an-operator-in-the-tests" };

/** All neighbors of a stage that an owner has filled in. */
export function neighborsWith(others: Partial<Neighbors>, stage: Stage = "production"): Neighbors {
  const { site, api, other } = deployment([], stage);
  return {
    folder: checkout,
    git: repository(),
    company: { name: "Acme", postalAddress: [filledInCompany("100 Example Street, Suite 400")] },
    settingsOf: (target) => (target === stage ? { site, api } : other),
    wrangler: cloudflare({ stage }).wrangler,
    fetch: hostsOf({}),
    buildBrowser: async () => {},
    ask: async () => "",
    env: {},
    ...others,
  };
}
