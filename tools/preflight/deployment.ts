import type { WorkerSettings } from "../wrangler/worker-settings";
import type { Stage } from "../wrangler/wrangler";

/** `what` also says what to do. */
export type Finding = {
  where: "site" | "subscription API" | "database" | "Stripe" | "Cloudflare" | "app/company-facts.ts";
  what: string;
};

type Workers = { site: WorkerSettings; api: WorkerSettings };

/** Secrets and database are undefined when the account was not asked. */
export type Deployment = Workers & {
  stage: Stage;
  other: Workers;
  secrets?: { site: string[]; api: string[] };
  database?: { migrations: string[]; packages: Record<string, unknown>[] };
  migrations: string[];
  company: { name: string; postalAddress: readonly string[]; profiles: readonly string[] };
};

export type Rule = [where: Finding["where"], isWrong: boolean, what: string];
