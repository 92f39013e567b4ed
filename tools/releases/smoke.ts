import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { PAID_PLANS, settingOf } from "../../app/contract/plans";
import { shareImages } from "../../app/seo/share-images";
import { causeOf, runTool } from "../failures";
import { settingsOf, stageOf, urlIn } from "./deployment-stages";

// npm run smoke -- --production: requests a deployment's pages as visitors do, and creates nothing. --staging; else npm start's.

const WITHIN_MS = 20_000;
const running = z.object({ release: z.string(), commit: z.string() });
const PAGES = Object.keys(shareImages);

export type Target = { siteUrl: string; apiUrl: string; packageId: string; stripeUrl: string; publishableKey: string };

/** `what`: the result, or the problem. */
export type Outcome = { name: string; passed: boolean; what: string };

/** Returns the result; throws the problem. */
type Check = (target: Target) => Promise<string>;

const checks: Record<string, Check> = {
  async pages({ siteUrl }) {
    for (const path of PAGES) need((await get(siteUrl + path)).includes("<h1"), `${path} has no heading`);
    return PAGES.join(" ");
  },
  async site({ siteUrl }) {
    return versionIn(await get(`${siteUrl}/health`));
  },
  async form({ siteUrl, packageId }) {
    const page = await formPage(siteUrl, packageId);
    const files = new Set(page.match(/\/build\/[\w-]+\.js/g));
    need(files.size > 0, "the form's page names no script");
    for (const file of files) await get(siteUrl + file);
    return `its page and ${files.size} scripts`;
  },
  async "refused post"({ siteUrl, packageId }) {
    const nonce = /name="form_nonce"[^>]*value="([^"]+)"/.exec(await formPage(siteUrl, packageId))?.[1];
    need(nonce !== undefined, "the form has no nonce");
    const body = new URLSearchParams({ form_nonce: nonce ?? "", package_id: packageId, email: "nobody" });
    const headers = { Origin: siteUrl, "Sec-Fetch-Site": "same-origin" };
    const response = await ask(`${siteUrl}/subscription/${packageId}`, { method: "POST", body, headers });
    const text = await response.text();
    need(response.status === 422, `a form with errors was answered ${response.status}, not 422`);
    need(text.includes("Please enter a valid email address"), "the answer does not say what is wrong");
    return "an incomplete form came back with its errors, and made nothing";
  },
  async API({ apiUrl }) {
    return versionIn(await get(`${apiUrl}/health`));
  },
  async "API's doors"({ apiUrl }) {
    const headers = { "content-type": "application/json" };
    for (const path of ["/subscription", "/webhooks/stripe"]) {
      const { status } = await ask(apiUrl + path, { method: "POST", body: "{}", headers });
      need(status >= 400 && status < 500, `an empty post to ${path} was answered ${status}`);
    }
    return "an empty sign-up and an unsigned webhook were refused";
  },
  async "Stripe key"({ stripeUrl, publishableKey }) {
    need(publishableKey !== "", "STRIPE_PUBLISHABLE_KEY is empty");
    const { status } = await ask(`${stripeUrl}/v1/setup_intents/seti_smoke?client_secret=seti_smoke_secret_test`, {
      headers: { Authorization: `Bearer ${publishableKey}` },
    });
    need(status !== 401, "Stripe does not know the publishable key");
    need(status === 404 || status === 400, `Stripe answered ${status}`);
    return "Stripe knows the publishable key; the API's health has asked with the secret one";
  },
};

export async function smoke(target: Target): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, check] of Object.entries(checks)) {
    outcomes.push(
      await check(target).then(
        (what) => ({ name, passed: true, what }),
        (error: unknown) => ({ name, passed: false, what: error instanceof Error ? error.message : String(error) }),
      ),
    );
  }
  return outcomes;
}

function formPage(siteUrl: string, packageId: string): Promise<string> {
  return get(`${siteUrl}/subscription/${packageId}`);
}

function versionIn(health: string): string {
  const { release, commit } = running.parse(JSON.parse(health));
  return `release ${release}, commit ${commit}`;
}

async function get(url: string): Promise<string> {
  const response = await ask(url);
  const text = await response.text();
  need(response.status === 200, `${new URL(url).pathname} was answered ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const { host } = new URL(url);
  try {
    return await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(WITHIN_MS) });
  } catch (error) {
    throw new Error(`${host} cannot be reached: ${causeOf(error)}`);
  }
}

function need(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { staging: { type: "boolean" }, production: { type: "boolean" } } });
  const isLocal = !values.staging && !values.production;
  const { site } = settingsOf(isLocal ? undefined : stageOf(values));
  const outcomes = await smoke({
    siteUrl: urlIn(site, "SITE_URL"),
    apiUrl: urlIn(site, "SUBSCRIPTION_API_URL"),
    packageId: String(site.vars[settingOf(PAID_PLANS[0])]),
    stripeUrl: isLocal ? urlIn(site, "STRIPE_API_URL") : "https://api.stripe.com",
    publishableKey: String(site.vars.STRIPE_PUBLISHABLE_KEY),
  });
  for (const { name, passed, what } of outcomes) console.log(`${passed ? "✓" : "✗"} ${name}: ${what}`);
  return outcomes.every(({ passed }) => passed);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runTool(main);
