import Stripe from "stripe";
import { call, PaymentsError } from "./client";

export type StripeAccess =
  | { status: "granted" }
  | { status: "wrong-key" }
  | { status: "no-permission"; lacks: string[] }
  | { status: "unavailable" };

/** One small call for each kind of object, with the same expansions. */
export async function stripeAccess(stripe: Stripe): Promise<StripeAccess> {
  const requests: [string, () => Promise<unknown>][] = [
    ["customers", () => stripe.customers.list({ limit: 1 })],
    ["setup intents, payment methods", () => stripe.setupIntents.list({ limit: 1, expand: ["data.payment_method"] })],
    ["subscriptions, invoices", () => stripe.subscriptions.list({ limit: 1, expand: ["data.latest_invoice"] })],
    ["prices, products", () => stripe.prices.list({ limit: 1, expand: ["data.product"] })],
  ];
  const answers = await Promise.all(
    requests.map(async ([name, request]) => ({ name, answer: await answerTo(request) })),
  );
  const named = (wanted: Answer) => answers.filter(({ answer }) => answer === wanted).map(({ name }) => name);
  if (named("wrong-key").length > 0) return { status: "wrong-key" };
  if (named("unavailable").length > 0) return { status: "unavailable" };
  const lacks = named("no-permission");
  return lacks.length > 0 ? { status: "no-permission", lacks } : { status: "granted" };
}

type Answer = StripeAccess["status"];

async function answerTo(request: () => Promise<unknown>): Promise<Answer> {
  try {
    await call(request);
    return "granted";
  } catch (error) {
    const { cause } = error instanceof PaymentsError ? error : {};
    if (cause instanceof Stripe.errors.StripeAuthenticationError) return "wrong-key";
    return cause instanceof Stripe.errors.StripePermissionError ? "no-permission" : "unavailable";
  }
}
