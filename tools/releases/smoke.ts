import * as z from "zod";
import { formFields, INVALID_EMAIL } from "../../app/contract/fields/form-fields";
import { monthlyPrice } from "../../app/contract/money";
import { PAID_PLANS } from "../../app/contract/plans";
import { signUpPath } from "../../app/contract/sign-up-path";
import { PUBLIC_PATHS } from "../../app/seo/public-paths";
import { parseJson } from "../../app/shared/http/parse-json";
import { readCommandLine } from "../command-line";
import { botCheckAt, causeOf, isStarted, runTool } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { apiOf, callApi } from "../operator/call-api";
import { problemOfApi } from "../preflight/api-of-others";
import { siteAloneLine, TARGETS, type Target, urlIn } from "../wrangler/worker-settings";
import { catalog } from "./prices";

// npm run smoke production, staging or local (the site of npm start): requests pages as visitors do, and creates nothing.

const WITHIN_MS = 20_000;
const health = z.object({ release: z.string(), commit: z.string() });

/** Each check returns its result or throws the problem. */
type Checks = Record<string, () => Promise<string>>;

/** Prints each check's result. @returns whether all passed */
export async function smoke(target: Target, beside: Pick<Neighbors, "settingsOf" | "fetch" | "env">): Promise<boolean> {
  const { settingsOf, fetch, env } = beside;
  const { site, api } = settingsOf(target);
  const [siteUrl, apiUrl] = [urlIn(site, "SITE_URL"), urlIn(site, "SUBSCRIPTION_API_URL")];
  console.log(`${target}: ${siteUrl}`);
  if (api === undefined) console.log(siteAloneLine(site));
  const { packageId } = PAID_PLANS[0];
  const { ask, get, versionAt } = asker(fetch);

  const checksOfApi: Checks = {
    "subscription API": () => versionAt(apiUrl),
    async refusals() {
      const headers = { "content-type": "application/json" };
      for (const path of ["/subscription", "/webhooks/stripe"]) {
        const { status } = await ask(apiUrl + path, { method: "POST", body: "{}", headers });
        need(status >= 400 && status < 500, `an empty post to ${path} was answered ${status}`);
      }
      return "an empty sign-up and an unsigned webhook were refused";
    },
  };
  const canAskOperator = api !== undefined && (target === "local" || Boolean(env.OPERATOR_TOKEN));
  const checksOfPrices: Checks = {
    async prices() {
      const { prices } = catalog.parse(await callApi(apiOf(target, beside), "prices"));
      for (const { packageId: id, title } of PAID_PLANS) {
        const { status = "unknown", price_cents = 0 } = prices.find((one) => one.id === id) ?? {};
        need(status === "listed", `${title} is ${status} in the API, not listed`);
        const price = monthlyPrice(price_cents);
        const { text } = await get(siteUrl + signUpPath(id));
        need(text.includes(price), `the API sells ${title} for ${price}, the form does not say so`);
      }
      return "the form of each plan has the API's price";
    },
  };
  const checksOfOthersApi: Checks = {
    async "subscription API"() {
      const problem = await problemOfApi(apiUrl, fetch);
      need(problem === undefined, String(problem));
      return "an empty form was refused as JSON";
    },
  };
  const checks: Checks = {
    async pages() {
      for (const path of PUBLIC_PATHS) need((await get(siteUrl + path)).text.includes("<h1"), `${path} has no heading`);
      return PUBLIC_PATHS.join(" ");
    },
    site: () => versionAt(siteUrl),
    async form() {
      const form = siteUrl + signUpPath(packageId);
      const { text, headers } = await get(form);
      const missing = Object.keys(formFields).filter((name) => !text.includes(`name="${name}"`));
      need(missing.length === 0, `the form has no ${missing.join(", ")}`);
      need(/^(__Host-)?form=[\w-]{22};/m.test(headers.getSetCookie().join("\n")), "the form sets no cookie");
      const files = new Set(text.match(/\/build\/[\w/-]+\.js/g));
      need(files.size > 0, "the form's page names no script");
      for (const file of files) await get(siteUrl + file);
      const body = new URLSearchParams({ package_id: packageId, email: "nobody" });
      const refused = await ask(form, { method: "POST", body, headers: { Origin: siteUrl } });
      need(refused.status === 422, `a form with errors was answered ${refused.status}, not 422`);
      need(refused.text.includes(INVALID_EMAIL), "the answer does not say what is wrong");
      return `its fields, cookie and ${files.size} scripts; an incomplete form came back with its errors`;
    },
    ...(api ? checksOfApi : checksOfOthersApi),
    async "Stripe key"() {
      const stripeUrl = target === "local" ? urlIn(site, "STRIPE_API_URL") : "https://api.stripe.com";
      const headers = { Authorization: `Bearer ${site.vars.STRIPE_PUBLISHABLE_KEY}` };
      const { status } = await ask(`${stripeUrl}/v1/setup_intents/seti_smoke?client_secret=seti_smoke_secret_test`, {
        headers,
      });
      need(status === 404 || status === 400, `Stripe answered ${status}: does it know the publishable key?`);
      return "Stripe knows the publishable key";
    },
    ...(canAskOperator && checksOfPrices),
  };

  const failed: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const result = await check().catch((error: Error) => error);
    if (result instanceof Error) failed.push(name);
    console.log(result instanceof Error ? `✗ ${name}: ${result.message}` : `✓ ${name}: ${result}`);
  }
  if (api && !canAskOperator) console.log("Not checked: prices (the variable OPERATOR_TOKEN is not set).");
  console.log(failed.length === 0 ? `Everything works in ${target}.` : `Not right in ${target}: ${failed.join(", ")}.`);
  return failed.length === 0;
}

function asker(fetch: Neighbors["fetch"]) {
  async function versionAt(url: string): Promise<string> {
    const { text } = await get(`${url}/health`);
    const { data } = health.safeParse(parseJson(text));
    if (data) return `release ${data.release}, commit ${data.commit}`;
    throw new Error(`${url}/health answered ${oneLine(text)}: is another program there?`);
  }

  async function get(url: string) {
    const answer = await ask(url);
    need(answer.status === 200, `${new URL(url).pathname} was answered ${answer.status}: ${oneLine(answer.text)}`);
    return answer;
  }

  async function ask(url: string, init: RequestInit = {}) {
    const signal = AbortSignal.timeout(WITHIN_MS);
    let answer: { status: number; headers: Headers; text: string };
    try {
      const response = await fetch(url, { ...init, redirect: "manual", signal });
      answer = { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      throw new Error(`${new URL(url).host} cannot be reached: ${causeOf(error)}`);
    }
    const problem = botCheckAt(url, answer);
    need(problem === undefined, String(problem));
    return answer;
  }
  return { ask, get, versionAt };
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").slice(0, 200) || "nothing";

function need(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

if (isStarted(import.meta.url)) {
  await runTool(() => smoke(readCommandLine({ script: "smoke", targets: TARGETS }).target, neighbors));
}
