import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { callApi } from "../../../tools/operator/call-api";
import { PACKAGES } from "../../../tools/releases/prices";
import { PERSONAL } from "../person";
import { plainApi } from "../plain-api";
import { startUpstream } from "../workers/upstream";
import { startBackend, startSite, startStripeSimulator } from "../workers/workers";
import { siteVisitor } from "./site-visitor";
import { newIntent, stripeAt } from "./visitor";

type SiteOptions = Parameters<typeof startSite>[0];
export type Stack = Awaited<ReturnType<typeof startStack>>;

/** A site and a visitor for one test file. Disposing of them fails if the log has personal data. */
async function visited(options: SiteOptions, disposeBackend: () => unknown) {
  const site = await startSite(options);
  const dispose = async () => {
    await site.dispose();
    await disposeBackend();
    const found = site.output.find((line) => PERSONAL.test(line));
    if (found !== undefined) throw new Error(`Personal data in the log: ${found}`);
  };
  return { site, visitor: siteVisitor(site), dispose };
}

/** The site with an API and a Stripe whose answers a test sets; 204 by default. */
export async function startVisitedSite(options: SiteOptions = {}) {
  const upstream = await startUpstream();
  const vars = { SUBSCRIPTION_API_URL: upstream.url, STRIPE_API_URL: upstream.url, ...options.vars };
  return { upstream, ...(await visited({ ...options, vars }, upstream.dispose)) };
}

/** The settings of a site that uses this API and this Stripe. */
export const varsFor = (api: { url: string }, stripe: { url: string }) => {
  const STRIPE_JS_URL = `${stripe.url}/endive/stripe.js`;
  return { SUBSCRIPTION_API_URL: api.url, STRIPE_API_URL: stripe.url, STRIPE_JS_URL };
};

/** The three built Workers, with cheap passwords and without deadlines. */
export async function startStack() {
  const { api, stripe, dispose } = await startBackend();
  await callApi({ url: api.url, token: LOCAL_SECRETS.OPERATOR_TOKEN }, "catalog", { packages: PACKAGES });
  return { api, stripe, ...(await visited({ vars: varsFor(api, stripe) }, dispose)) };
}

/** Beside another API, `npm start` has these settings at their defaults. */
const ABOUT_API = ["SUBSCRIPTION_API_IDEMPOTENT", "SUBSCRIPTION_API_PROMISES", "CUSTOMER_PORTAL_URL", "CONSOLE_URL"];

/** The site with an API that knows the specification alone, whose cards Stripe's simulator takes. */
export async function startPlainStack() {
  const [stripe, upstream] = await Promise.all([startStripeSimulator(), startUpstream()]);
  const api = plainApi(async (email) => (await newIntent(stripeAt(stripe), email)).secret);
  upstream.answers(async (response, { method, url, headers, body }) => {
    const { authorization, "content-type": type = "" } = headers;
    const sent = { method, headers: { "content-type": type, ...(authorization && { authorization }) } };
    const asked = new Request(new URL(url, upstream.url), method === "GET" ? sent : { ...sent, body });
    const answer = await api.answer(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  const vars = { ...varsFor(upstream, stripe), ...Object.fromEntries(ABOUT_API.map((name) => [name, undefined])) };
  return { api, stripe, ...(await visited({ vars }, () => Promise.all([upstream.dispose(), stripe.dispose()]))) };
}
