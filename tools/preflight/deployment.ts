import type { WorkerSettings } from "../worker-settings";
import type { Stage } from "../wrangler";

/** What keeps a deployment from working; `what` also says what to do. */
export type Finding = {
  where: "site" | "subscription API" | "database" | "Stripe" | "Cloudflare" | "app/company-facts.ts";
  what: string;
};

type Workers = { site: WorkerSettings; api: WorkerSettings };

/** Secrets and database are undefined when the account was not asked. */
export type Deployment = Workers & {
  stage: Stage;
  /** The other stage's files. */
  other: Workers;
  secrets?: { site: string[]; api: string[] };
  database?: { migrations: string[]; packages: Record<string, unknown>[] };
  /** The files in the folder of migrations. */
  migrations: string[];
  company: { name: string; postalAddress: readonly string[]; profiles: readonly string[] };
};

/** A row of the table: the sentence counts if the condition holds. */
export type Rule = [where: Finding["where"], isWrong: boolean, what: string];
