import Stripe from "stripe";
import * as z from "zod";
import { WORKING_CARDS } from "../../../functions/stripe-simulator/cards/test-cards";
import { validRequest } from "../person";
import type { RunningWorker } from "../workers/workers";

/** The real stripe package, talking to a simulator. */
export const stripeAt = ({ url }: { url: string }) =>
  new Stripe("sk_test_local", { protocol: "http", host: "localhost", port: new URL(url).port, maxNetworkRetries: 0 });

/** The simulator's objects for an email address, including canceled subscriptions. */
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

/** Posts any body, and parses the JSON answer. */
export async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { method: "POST", headers, body });
  const text = await answer.text();
  return { status: answer.status, text, clientSecret: accepted.parse(JSON.parse(text)).client_secret };
}

let cardsTaken = 0;

/** The number of a card that works, and that no test of this process has entered recently. */
export function newCard(): string {
  cardsTaken += 1;
  return WORKING_CARDS[cardsTaken % WORKING_CARDS.length] ?? "";
}

/** Enters a card as Stripe.js does. @param more other values of the card's fields */
export async function enterCard(
  stripeUrl: string,
  clientSecret = "",
  number = "4242424242424242",
  more: { exp_month?: string } = {},
) {
  const body = new URLSearchParams({
    ...{
      key: "pk_test_local",
      client_secret: clientSecret,
      return_url: "http://localhost:8787/subscription?from=card",
    },
    "payment_method_data[type]": "card",
    "payment_method_data[card][number]": number,
    "payment_method_data[card][exp_month]": more.exp_month ?? "12",
    "payment_method_data[card][exp_year]": "2040",
    "payment_method_data[card][cvc]": "123",
  });
  const confirm = `${stripeUrl}/v1/setup_intents/${clientSecret.split("_secret_")[0]}/confirm`;
  const response = await fetch(confirm, { method: "POST", body });
  return { status: response.status, body: await response.text() };
}

/** All rows of a query on the API's database. */
export const rows = async ({ database }: RunningWorker, sql: string, ...values: unknown[]) =>
  (await database.prepare(sql, values).all()).results;

/** The latest sign-up with an email address. */
export async function rowOf(api: RunningWorker, email: string): Promise<Record<string, unknown>> {
  return (await rows(api, "SELECT * FROM sign_ups WHERE email = ? ORDER BY created_at DESC", email))[0] ?? {};
}

const mail = z.object({ to: z.array(z.string()), subject: z.string(), text: z.string() });

/** The emails to an address in the simulator's mailbox, newest first. */
export async function mails({ url }: { url: string }, address: string) {
  const { data } = z.object({ data: z.array(mail) }).parse(await (await fetch(`${url}/emails`)).json());
  return data.filter(({ to }) => to.includes(address));
}

/** A setup intent as the API makes it. */
export async function newIntent(stripe: Stripe, email: string) {
  const { id: customer } = await stripe.customers.create({ email });
  const kind = { usage: "off_session" as const, allowed_payment_method_types: ["card" as const] };
  const { id, client_secret } = await stripe.setupIntents.create({ customer, ...kind });
  const status = async () => (await stripe.setupIntents.retrieve(id)).status;
  return { id, customer, secret: client_secret ?? "", status };
}
