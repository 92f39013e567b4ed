import { vi } from "vitest";
import type { Neighbors } from "../../../tools/neighbors";
import { PACKAGES } from "../../../tools/releases/prices";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { filledInCompany, SECRETS } from "../../support/filled-in-settings";
import { deployment } from "./filled-in-deployment";

/* Stand-ins for what commands reach, with the answers of the real ones. */

type Ran = ReturnType<Neighbors["wrangler"]>;
const succeeds = (stdout = ""): Ran => ({ succeeded: true, stdout, output: stdout });
const fails = (output: string): Ran => ({ succeeded: false, stdout: "", output });

/** How Wrangler ends if Cloudflare is not itself. */
export const WRANGLER = {
  silent: fails("✘ [ERROR] A fetch request failed, likely due to a connectivity issue."),
  slow: fails("[ERROR] no answer within 120 seconds"),
  html: fails("✘ [ERROR] Received a malformed response from the API\n\n  <!doctype html><title>502"),
  // Wrangler has passed something else on.
  other: succeeds("<!doctype html><title>Maintenance</title>"),
  refused: fails("✘ [ERROR] In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN"),
} as const;
export const SAYS: Record<keyof typeof WRANGLER, RegExp> = {
  silent: /A fetch request failed/,
  slow: /no answer within 120 seconds/,
  html: /Received a malformed response/,
  other: /Cloudflare's answer cannot be read: <!doctype html>/,
  refused: /run npx wrangler login/,
};
export type Fault = keyof typeof WRANGLER;
export const FAULTS = Object.keys(WRANGLER) as Fault[];
/** A row for each fault at each of the account's commands. */
export const faultsAt = (...commands: RegExp[]) =>
  commands.flatMap((at) =>
    FAULTS.map((fault) => ({
      what: `Cloudflare is ${fault} at ${at}`,
      account: { faults: [{ at, as: WRANGLER[fault] }] },
      says: SAYS[fault],
    })),
  );

export type Version = { id: string; metadata: { created_on: string }; annotations: Record<string, string> };

/** The API's catalog if it is this release's. */
const SOLD = PACKAGES.map((one) => ({ ...one, stripe_price_id: "price_0123456789abcdef", status: "listed" }));
/** The API sells MINI for more and LITE for less than this release. */
export const OTHER_PRICES = SOLD.map((one, index) => ({
  ...one,
  price_cents: [99_900, 100][index] ?? one.price_cents,
}));
/** A plan of the API that this release no longer lists. */
export const WITH_OLD_PLAN = [...SOLD, ...SOLD.slice(0, 1).map((one) => ({ ...one, id: "old" }))];
/** This release's prices of MINI and LITE, as `takesPrices` notes them. */
export const [LOWER = "", HIGHER = ""] = PACKAGES.map(({ name, price_cents }) => `${name} ${price_cents}`);

/** The Cloudflare account. `faults` end the first command whose line matches: `{site or api} {arguments}`. */
export function cloudflare({
  secrets = SECRETS,
  migrations = ["0001_first_release.sql"],
  packages = SOLD,
  versions = {},
  faults = [],
}: {
  secrets?: { site: string[]; api: string[] };
  migrations?: string[];
  packages?: object[];
  versions?: { site?: Version[]; api?: Version[] };
  faults?: { at: RegExp; as: Ran }[];
} = {}) {
  const changes: string[] = [];
  const asked: string[] = [];
  let applied = migrations;
  const wrangler: Neighbors["wrangler"] = (args, { folder }) => {
    const worker = folder === API_FOLDER ? "api" : "site";
    const line = `${worker} ${args.join(" ")}`;
    asked.push(line);
    const fault = faults.find(({ at }) => at.test(line));
    if (fault) return fault.as;
    if (line.includes("secret list")) return succeeds(JSON.stringify(secrets[worker].map((name) => ({ name }))));
    if (line.includes("d1 execute"))
      return succeeds(JSON.stringify([{ results: applied.map((name) => ({ name })) }, { results: packages }]));
    if (line.includes("versions list")) return succeeds(JSON.stringify(versions[worker] ?? []));
    if (line.includes("d1 migrations apply")) {
      if (applied.length === 0) changes.push("migrations");
      applied = ["0001_first_release.sql"];
    } else if (args[0] === "deploy") changes.push(`${worker} deployed`);
    else if (args[0] === "rollback") changes.push(`${worker} ${args[1]}`);
    else throw new Error(`The stand-in for Cloudflare does not know: ${line}`);
    return succeeds();
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
export const HOST: Record<string, Answer> = {
  silent: () => {
    throw new TypeError("fetch failed", { cause: new Error("getaddrinfo ENOTFOUND") });
  },
  // Never, until the caller gives up.
  slow: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      const giveUp = () => reject(signal?.reason);
      if (signal?.aborted) giveUp();
      signal?.addEventListener("abort", giveUp);
    }),
  html: () => new Response("<!doctype html><title>Parked</title>", { headers: { "content-type": "text/html" } }),
  failing: () => new Response("Internal Server Error", { status: 500 }),
  cut: () => new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError("terminated")) })),
};

/** `fetch` for these hosts; no other one exists. */
export const hostsOf =
  (hosts: Record<string, Answer>): Neighbors["fetch"] =>
  async (url, init = {}) => {
    const { host, pathname, search } = new URL(url);
    return (hosts[host] ?? (HOST.silent as Answer))(pathname + search, init);
  };

/** An API whose catalog takes every change, and notes it. */
export const takesPrices =
  (changes: string[]): Answer =>
  (_, { body }) => {
    const { packages = [], retired = [] } = JSON.parse(String(body));
    changes.push(...retired.map((id: string) => `retired ${id}`));
    changes.push(...packages.map((one: (typeof PACKAGES)[number]) => `${one.name} ${one.price_cents}`));
    return Response.json({ prices: packages });
  };

/** Every request waits longer than its sender. */
export const timeIsUp = () =>
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new DOMException("too slow", "TimeoutError")));

/** The site is deployed alone, in front of somebody else's API. */
export const siteAlone: Neighbors["settingsOf"] = (target) => {
  const { site, other } = deployment();
  return target === "production" ? { site, api: undefined } : other;
};

export const OPERATOR_TOKEN = "the-token-of-an-operator-in-the-tests";

/** All neighbors of a stage that an owner has filled in. */
export function neighborsWith(others: Partial<Neighbors>, stage: Stage = "production"): Neighbors {
  const { site, api, other } = deployment("", "", stage);
  return {
    folder: root,
    git: repository(),
    company: { name: "Acme", postalAddress: [filledInCompany("100 Example Street, Suite 400")] },
    settingsOf: (target) => (target === stage ? { site, api } : other),
    wrangler: cloudflare().wrangler,
    fetch: hostsOf({}),
    buildBrowser: async () => {},
    env: {},
    ...others,
  };
}
