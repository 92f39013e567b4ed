import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { PAID_PLANS, settingOf } from "../../app/contract/plans";
import { shareImages } from "../../app/seo/share-images";
import { causeOf, runTool } from "../failures";
import { settingsOf, stageOf, urlIn } from "./deployment-stages";

// npm run smoke -- --production: requests a deployment's pages as visitors do, and creates nothing. --staging; else npm start's.

const WITHIN_MS = 20_000;
const health = z.object({ release: z.string(), commit: z.string() });
const PAGES = Object.keys(shareImages);

export type Target = { siteUrl: string; apiUrl: string; packageId: string; stripeUrl: string; publishableKey: string };

/** Each returns the result, or throws the problem. */
const CHECKS: Record<string, (target: Target) => Promise<string>> = {
  async pages({ siteUrl }) {
    for (const path of PAGES) need((await get(siteUrl + path)).includes("<h1"), `${path} has no heading`);
    return PAGES.join(" ");
  },
  site: async ({ siteUrl }) => versionIn(await get(`${siteUrl}/health`)),
  async form({ siteUrl, packageId }) {
    const page = await get(`${siteUrl}/subscription/${packageId}`);
    const files = new Set(page.match(/\/build\/[\w/-]+\.js/g));
    need(files.size > 0, "the form's page names no script");
    for (const file of files) await get(siteUrl + file);
    const nonce = /name="form_nonce"[^>]*value="([^"]+)"/.exec(page)?.[1] ?? "";
    const body = new URLSearchParams({ form_nonce: nonce, package_id: packageId, email: "nobody" });
    const headers = { Origin: siteUrl, "Sec-Fetch-Site": "same-origin" };
    const response = await ask(`${siteUrl}/subscription/${packageId}`, { method: "POST", body, headers });
    need(response.status === 422, `a form with errors was answered ${response.status}, not 422`);
    need(
      (await response.text()).includes("Please enter a valid email address"),
      "the answer does not say what is wrong",
    );
    return `its page and ${files.size} scripts; an incomplete form came back with its errors`;
  },
  API: async ({ apiUrl }) => versionIn(await get(`${apiUrl}/health`)),
  async "API's refusals"({ apiUrl }) {
    const headers = { "content-type": "application/json" };
    for (const path of ["/subscription", "/webhooks/stripe"]) {
      const { status } = await ask(apiUrl + path, { method: "POST", body: "{}", headers });
      need(status >= 400 && status < 500, `an empty post to ${path} was answered ${status}`);
    }
    return "an empty sign-up and an unsigned webhook were refused";
  },
  async "Stripe key"({ stripeUrl, publishableKey }) {
    const { status } = await ask(`${stripeUrl}/v1/setup_intents/seti_smoke?client_secret=seti_smoke_secret_test`, {
      headers: { Authorization: `Bearer ${publishableKey}` },
    });
    need(status !== 401, "Stripe does not know the publishable key");
    need(status === 404 || status === 400, `Stripe answered ${status}`);
    return "Stripe knows the publishable key";
  },
};

/** `what`: the result, or the problem. */
export async function smoke(target: Target): Promise<{ name: string; passed: boolean; what: string }[]> {
  const outcomes = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const passed = (what: string) => ({ name, passed: true, what });
    outcomes.push(await check(target).then(passed, (error) => ({ name, passed: false, what: String(error.message) })));
  }
  return outcomes;
}

function versionIn(text: string): string {
  const { release, commit } = health.parse(JSON.parse(text));
  return `release ${release}, commit ${commit}`;
}

async function get(url: string): Promise<string> {
  const response = await ask(url);
  const text = await response.text();
  need(response.status === 200, `${new URL(url).pathname} was answered ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(WITHIN_MS) }).catch((error: unknown) => {
    throw new Error(`${new URL(url).host} cannot be reached: ${causeOf(error)}`);
  });
}

function need(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
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
  });
}
