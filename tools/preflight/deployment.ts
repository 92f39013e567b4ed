import type { WorkerSettings } from "../wrangler/worker-settings";
import type { Stage } from "../wrangler/wrangler";

export type Worker = "site" | "subscription API";

/** `what`: the problem and its remedy. */
export type Finding = {
  where: Worker | "database" | "Stripe" | "Cloudflare" | "app/company-facts.ts";
  what: string;
};

type Workers = { site: WorkerSettings; api: WorkerSettings };

/** The account's data is undefined if the account was not asked. */
export type Deployment = Workers & {
  stage: Stage;
  other: Workers;
  secrets?: { site: string[]; api: string[] };
  database?: { migrations: string[]; packages: Record<string, unknown>[] };
  /** Of the account's databases, by id. */
  databaseNames?: ReadonlyMap<string, string>;
  /** Whether Cloudflare sends emails from the domain of MAIL_FROM. */
  mayEmail?: boolean | undefined;
  migrations: string[];
  company: { name: string; postalAddress: readonly string[]; profiles: readonly string[] };
};

export type Rule = [where: Finding["where"], isWrong: boolean, what: string];
