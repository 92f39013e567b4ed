import Stripe from "stripe";
import * as z from "zod";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import { isCardNumber } from "../../../functions/stripe-simulator/cards/cards";
import type { RunningWorker } from "../workers/workers";

/** A sign-up that the API takes. */
export const validRequest: SubscriptionRequest = {
  ...{ package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", email: "ada@example.com", password: "Analytical-3ngine" },
  ...{ full_name: "Ada Lovelace", company_name: "Engines & Sons", phone: "2125550123", country: "United States" },
  ...{ address: "12 St James's Square", city: "New York", state: "NY", zipCode: "10001" },
};

/** Runs `work` several times in parallel. */
export const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** The real stripe package, talking to a simulator. */
export const stripeAt = ({ url }: { url: string }) =>
  new Stripe("sk_test_local", { protocol: "http", host: "localhost", port: new URL(url).port, maxNetworkRetries: 0 });

/** A simulator's objects for an email address, including canceled subscriptions. */
export async function stripeStateOf(simulator: { url: string }, email: string) {
  const stripe = stripeAt(simulator);
  const { data: customers } = await stripe.customers.list({ email, limit: 100 });
  const ofAll = async <T>(list: (customer: string) => PromiseLike<{ data: T[] }>) =>
    (await Promise.all(customers.map(({ id }) => list(id)))).flatMap(({ data }) => data);
  const setupIntents = await ofAll((customer) => stripe.setupIntents.list({ customer }));
  const subscriptions = await ofAll((customer) => stripe.subscriptions.list({ customer, status: "all" }));
  return { customers, setupIntents, subscriptions };
}

/** Posts a sign-up as the site does. */
export function signUp(api: RunningWorker, fields: Record<string, unknown> = {}, idempotencyKey?: string) {
  return post(`${api.url}/subscription`, JSON.stringify({ ...validRequest, ...fields }), {
    "content-type": "application/json",
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  });
}

const accepted = z.object({ client_secret: z.string().optional() });

/** Posts anything whose answer is JSON. */
export async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { method: "POST", headers, body });
  const text = await answer.text();
  return { status: answer.status, text, clientSecret: accepted.parse(JSON.parse(text)).client_secret };
}

let latestCard = 4_100_000_000_000_000;

/** The number of an unused card. */
export function newCard(): string {
  do latestCard += 1;
  while (!isCardNumber(String(latestCard)));
  return String(latestCard);
}

/** Enters a card as Stripe.js does. */
export async function enterCard(stripeUrl: string, clientSecret = "", number = "4242424242424242") {
  const body = new URLSearchParams({
    ...{
      key: "pk_test_local",
      client_secret: clientSecret,
      return_url: "http://localhost:8787/subscription?from=card",
    },
    ...{ "payment_method_data[type]": "card", "payment_method_data[card][number]": number },
    ...{ "payment_method_data[card][exp_month]": "12", "payment_method_data[card][exp_year]": "2040" },
    "payment_method_data[card][cvc]": "123",
  });
  const confirm = `${stripeUrl}/v1/setup_intents/${clientSecret.split("_secret_")[0]}/confirm`;
  const response = await fetch(confirm, { method: "POST", body });
  return { status: response.status, body: await response.text() };
}

/** All rows of a query on the API's database. */
export const rows = async ({ database }: RunningWorker, sql: string, ...values: unknown[]) =>
  (await database.prepare(sql, values).all()).results;

/** The latest sign-up of an email. */
export async function rowOf(api: RunningWorker, email: string): Promise<Record<string, unknown>> {
  return (await rows(api, "SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at DESC", email))[0] ?? {};
}

const mail = z.object({ to: z.array(z.string()), subject: z.string(), text: z.string() });
const accountWebhook = z.object({ data: z.object({ email: z.string() }) });

/** A list that the simulator keeps, newest first. */
const kept = async <T>(url: string, item: z.ZodType<T>) =>
  z.object({ data: z.array(item) }).parse(await (await fetch(url)).json()).data;

/** Emails to an address, and account webhooks about it, which the simulator keeps. */
export const mails = async ({ url }: RunningWorker, address: string) =>
  (await kept(`${url}/emails`, mail)).filter(({ to }) => to.includes(address));
export const accountWebhooks = async ({ url }: RunningWorker, address: string) =>
  (await kept(`${url}/console/webhooks`, accountWebhook)).filter(({ data }) => data.email === address);
