import type { ConfigurationProblem } from "../../../app/contract/configuration";
import type { WorkerSettings } from "../worker-settings";
import { API_FOLDER, type Stage, wranglerCommand } from "../wrangler";

/** What keeps a deployment from working; `what` also says what to do. */
export type Finding = {
  where: "site" | "subscription API" | "database" | "Stripe" | "Cloudflare" | "app/company-facts.ts";
  what: string;
};

/** Nobody can read them in Cloudflare's dashboard, as variables can be. */
export const SECRETS = [
  "SESSION_SECRET",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "MAIL_API_KEY",
  "CONSOLE_WEBHOOK_SECRET",
  "OPERATOR_TOKEN",
  "SUBSCRIPTION_API_SECRET",
  "TURNSTILE_SECRET_KEY",
  "LINK_SECRET",
  "HASH_SECRET",
];

/** Secrets and database are undefined when the account was not asked. */
export type Deployment = {
  stage: Stage;
  site: WorkerSettings;
  api: WorkerSettings;
  /** What the files say of the other stage. */
  other: { site: WorkerSettings; api: WorkerSettings };
  secrets?: { site: string[]; api: string[] };
  database?: { migrations: string[]; packages: Record<string, unknown>[] };
  /** The files in the folder of migrations. */
  migrations: string[];
  /** The facts of the brand. */
  company: { name: string; postalAddress: readonly string[]; profiles: readonly string[] };
};

/** The findings at one place; of one setting there is one. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #settings = new Set<string>();

  constructor(
    private readonly where: Finding["where"],
    private readonly stage: Stage,
  ) {}

  add(what: string): void {
    this.list.push({ where: this.where, what });
  }

  /** Adds what is wrong with a setting, unless something was found before. */
  addSetting(name: string, problem: string): void {
    if (this.#settings.has(name)) return;
    this.#settings.add(name);
    this.add(`${name} ${problem}`);
  }

  addProblems(problems: ConfigurationProblem[]): void {
    for (const { name, problem } of problems) this.addSetting(name, `${problem}${this.#remedyOf(name)}`);
  }

  #remedyOf(name: string): string {
    if (SECRETS.includes(name)) return `: ${this.putSecret(name)}`;
    if (name === "CUSTOMER_PORTAL_URL") return `: npm run stripe:setup -- --${this.stage} prints it`;
    return "";
  }

  /** The command that sets a secret of this Worker. */
  putSecret(name: string): string {
    return wranglerCommand(`secret put ${name}`, this.stage, this.where === "site" ? "." : API_FOLDER);
  }

  checkSecrets({ secrets }: WorkerSettings, existing: string[] | undefined): void {
    for (const name of secrets.required) {
      if (existing && !existing.includes(name)) {
        this.addSetting(name, `is a secret that is not set: ${this.putSecret(name)}`);
      }
    }
  }

  /** The host of a setting's URL must be one of the Worker's routes, or the Worker's own on workers.dev. */
  checkRoute({ routes, workers_dev }: WorkerSettings, name: string, url: string): void {
    const host = URL.canParse(url) ? new URL(url).host : url;
    if (workers_dev && host.endsWith(".workers.dev")) return;
    if (routes.some(({ pattern }) => matches(pattern, host))) return;
    const route = `routes = [{ pattern = "${host}", custom_domain = true }]`;
    if (routes.length === 0)
      this.add(`has no routes, so that nobody reaches it: put ${route} into [env.${this.stage}]`);
    else this.add(`no route is ${host}, the host of the site's ${name}: put ${route} into [env.${this.stage}]`);
  }
}

/** A route's host may begin with `*`: https://developers.cloudflare.com/workers/configuration/routing/routes/ */
function matches(pattern: string, host: string): boolean {
  const wanted = pattern.replace(/^\w+:\/\//, "").split("/")[0] ?? "";
  return wanted === host || (wanted.startsWith("*") && host.endsWith(wanted.slice(1)));
}
