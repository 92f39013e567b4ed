import { isLoopback } from "../../../app/contract/configuration";
import type { WorkerSettings } from "../worker-settings";
import { type Deployment, type Finding, Findings, SECRETS } from "./findings";

/** Settings that only local development has. */
const LOCAL_SETTINGS = ["STRIPE_API_URL", "STRIPE_JS_URL"];

/** Names that no deployment can have: https://www.rfc-editor.org/rfc/rfc2606 */
const RESERVED_NAME = /(?:^|[@./])example\.(?:com|net|org)(?![\w-])|\.(?:example|test|invalid)(?![\w.-])/i;
const TO_BE_WRITTEN =
  /\b(?:todo|fixme|tbd|xxx+|lorem ipsum|change[ _-]?me|your[ _-](?:company|domain|name|street))\b|[<{…]/i;
/** Stripe's publishable keys are longer than any that somebody made up. */
const PUBLISHABLE_KEY = /^pk_(?:test|live)_\w{16,}$/;

/** What in a Worker's settings was left from an example or from local development. */
export function checkValues({ stage }: Deployment, worker: WorkerSettings, found: Findings): void {
  for (const [name, given] of Object.entries(worker.vars)) {
    const value = String(given);
    const say = (problem: string) => found.addSetting(name, problem);
    if (value === "") continue;
    if (LOCAL_SETTINGS.includes(name)) {
      say(`is for local development only: remove it from [env.${stage}.vars]`);
    } else if (SECRETS.includes(name)) {
      say(`is a secret, for no file: remove it from [env.${stage}.vars] and set it, ${found.putSecret(name)}`);
    } else if (isLoopback(value)) {
      say(`is a URL of this machine (${value}): put the deployment's into [env.${stage}.vars]`);
    } else if (isPlaceholder(value)) {
      say(`is a placeholder (${value}): put yours into [env.${stage}.vars]`);
    } else if (name === "STRIPE_PUBLISHABLE_KEY") {
      checkPublishableKey(value, stage, say);
    }
  }
  for (const { pattern } of worker.routes) {
    if (isPlaceholder(pattern)) found.add(`a route is a placeholder (${pattern}): put your host into [env.${stage}]`);
  }
}

function checkPublishableKey(key: string, stage: Deployment["stage"], say: (problem: string) => void): void {
  const from = "copy it from https://dashboard.stripe.com/apikeys";
  // The Workers' own check says so of what is no publishable key at all.
  if (!/^pk_(?:test|live)_/.test(key)) return;
  if (!PUBLISHABLE_KEY.test(key)) say(`is no key of Stripe's: ${from}`);
  else if (stage === "staging" && key.startsWith("pk_live_")) say(`is a live key, staging takes test keys: ${from}`);
}

/** The facts of the brand, which every page and e-mail shows. */
export function checkCompany({ company, stage }: Deployment): Finding[] {
  const found = new Findings("app/company-facts.ts", stage);
  if (company.postalAddress.length === 0) found.add("the postal address is empty: write yours");
  for (const line of company.postalAddress) {
    if (line.trim() === "") found.add("a line of the postal address is empty: remove it");
    else if (isPlaceholder(line) || /example/i.test(line)) found.add(`has the example ${line}: write your address`);
  }
  for (const profile of company.profiles) {
    if (isPlaceholder(profile)) found.add(`has the example ${profile}: write your own profile, or none`);
    else if (!/^https:\/\//.test(profile) || !URL.canParse(profile)) {
      found.add(`has the profile ${profile}, which is no https URL: write the whole URL`);
    }
  }
  return found.list;
}

function isPlaceholder(value: string): boolean {
  return RESERVED_NAME.test(value) || TO_BE_WRITTEN.test(value);
}
