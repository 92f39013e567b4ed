import Stripe from "stripe";
import * as z from "zod";
import type { SubscriptionRequest } from "../../../app/contract/subscription-request";
import type { RunningWorker } from "../workers/workers";
import { sendRaw } from "./raw-request";

/** A sign-up that the API takes. */
export const validRequest: SubscriptionRequest = {
  package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
  email: "ada@example.com",
  password: "Analytical-3ngine",
  phone: "2125550123",
  company_name: "Engines & Sons",
  full_name: "Ada Lovelace",
  address: "12 St James's Square",
  city: "New York",
  state: "NY",
  zipCode: "10001",
  country: "United States",
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
  const customers = (await stripe.customers.list({ email, limit: 100 })).data;
  const [setupIntents, subscriptions] = await Promise.all([
    Promise.all(customers.map(({ id }) => stripe.setupIntents.list({ customer: id }))),
    Promise.all(customers.map(({ id }) => stripe.subscriptions.list({ customer: id, status: "all" }))),
  ]);
  return {
    customers,
    setupIntents: setupIntents.flatMap(({ data }) => data),
    subscriptions: subscriptions.flatMap(({ data }) => data),
  };
}

export type ApiAnswer = {
  status: number;
  contentType: string | null;
  text: string;
  clientSecret: string | undefined;
  /** Of a problem. */
  title: string | undefined;
  errors: Record<string, string[]>;
  keys: string[];
};

/** Posts a sign-up as the site does. */
export function signUp(
  api: RunningWorker,
  fields: Partial<SubscriptionRequest> | Record<string, unknown> = {},
  idempotencyKey?: string,
): Promise<ApiAnswer> {
  return post(`${api.url}/subscription`, JSON.stringify({ ...validRequest, ...fields }), {
    "content-type": "application/json",
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  });
}

export async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  const { pathname, search } = new URL(url);
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const answer = await sendRaw(url, {
    method: "POST",
    path: pathname + search,
    headers: Object.entries({ ...length, ...headers }),
    body,
  });
  const json = JSON.parse(answer.body);
  return {
    status: answer.status,
    contentType: answer.headers.get("content-type"),
    text: answer.body,
    clientSecret: json.client_secret,
    title: json.title,
    errors: json.errors ?? {},
    keys: json.keys ?? [],
  };
}

/** A confirmed setup intent or the error, with the fields that tests read. */
type ConfirmAnswer = {
  status: string;
  payment_method: string;
  next_action: { redirect_to_url: { url: string } };
  error?: Record<string, unknown>;
};

/** Enters a card as Stripe.js does; `4242424242424242` when no other is given. */
export async function enterCard(stripeUrl: string, clientSecret = "", number = "4242424242424242") {
  const response = await fetch(`${stripeUrl}/v1/setup_intents/${clientSecret.split("_secret_")[0]}/confirm`, {
    method: "POST",
    body: new URLSearchParams({
      key: "pk_test_local",
      client_secret: clientSecret,
      return_url: "http://localhost:8787/subscription?from=card",
      "payment_method_data[type]": "card",
      "payment_method_data[card][number]": number,
      "payment_method_data[card][exp_month]": "12",
      "payment_method_data[card][exp_year]": "2040",
      "payment_method_data[card][cvc]": "123",
    }),
  });
  const body: ConfirmAnswer = JSON.parse(await response.text());
  return { status: response.status, body };
}

/** All rows of a query on the API's database. */
export async function rows(api: RunningWorker, sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const db = api.database;
  const statement = db.prepare(sql).bind(...values);
  return (await statement.all()).results;
}

const mailList = z.object({
  data: z.array(
    z.object({ to: z.array(z.string()), from: z.string(), subject: z.string(), html: z.string(), text: z.string() }),
  ),
});
const accountWebhookList = z.object({
  data: z.array(z.object({ id: z.string(), type: z.string(), data: z.looseObject({ email: z.string() }) })),
});

/** Emails in the simulator's mailbox, newest first, for one address or all. */
export async function mails(simulator: RunningWorker, address?: string) {
  const { data } = mailList.parse(await (await fetch(`${simulator.url}/emails`)).json());
  return data.filter(({ to }) => address === undefined || to.includes(address));
}

/** Account webhooks at the simulator's console, newest first, for one email address or all. */
export async function accountWebhooks(simulator: RunningWorker, email?: string) {
  const { data } = accountWebhookList.parse(await (await fetch(`${simulator.url}/console/webhooks`)).json());
  return data.filter(({ data }) => email === undefined || data.email === email);
}
