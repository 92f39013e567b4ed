import type Stripe from "stripe";
import Errors from "stripe";
import type { Answer } from "../fact";
import type { Clock, World } from "../world";

export const HOUR = 60 * 60;
export const DAY = 24 * HOUR;
export const TRIAL_DAYS = 5;
export const STANDARD = 50_000;
export const MINI = 10_000;

/** What Stripe says to a call that it refuses. */
export async function refusal(
  call: Promise<unknown>,
): Promise<Answer & { status?: number; type?: string; code?: string; param?: string; isReplayed?: true }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Errors.errors.StripeError)) throw error;
    const { statusCode: status, rawType: type, code, param, decline_code, headers } = error;
    return {
      ...{ status, type: type && String(type) },
      ...(code && { code }),
      ...(param && { param }),
      ...(decline_code && { decline_code }),
      ...(headers?.["idempotent-replayed"] === "true" && { isReplayed: true as const }),
    };
  }
  return { isRefused: false };
}

/** A customer as the API creates it. */
export function newCustomer({ stripe, unique }: World, clock?: Clock) {
  return stripe.customers.create({
    email: `${unique("ada")}@example.com`,
    name: "Ada Lovelace",
    address: { line1: "1 Example Street", city: "Springfield", state: "IL", postal_code: "62701", country: "US" },
    metadata: { sign_up_id: unique("sign-up") },
    ...(clock && { test_clock: clock.id }),
  });
}

/** A setup intent as the API creates it. */
export async function newIntent(world: World, metadata = {}, given?: string) {
  const customer = given ?? (await newCustomer(world)).id;
  const intent = await world.stripe.setupIntents.create({
    ...{ customer, metadata, usage: "off_session", allowed_payment_method_types: ["card"] },
  });
  return { ...intent, customer, client_secret: intent.client_secret ?? "" };
}

/** Enters a test card. */
export const confirm = ({ stripe }: World, id: string, payment_method: string) =>
  stripe.setupIntents.confirm(id, { payment_method, return_url: "https://www.example.com/subscription" });

type Trial = { card?: string | null; cents?: number; from?: number };

/** A subscription as the API creates it, on a clock of its own. */
export async function newTrial(world: World, { card = "pm_card_visa", cents = STANDARD, from }: Trial = {}) {
  const { stripe } = world;
  const clock = await world.clock(from);
  const { id: customer } = await newCustomer(world, clock);
  if (card !== null) {
    const { id } = await stripe.paymentMethods.attach(card, { customer });
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  }
  const { id, trial_end } = await subscribe(world, customer, (await world.price(cents)).id);
  const end = trial_end ?? 0;
  const listed = async (filter: Stripe.InvoiceListParams = {}) =>
    (await stripe.invoices.list({ subscription: id, limit: 100, ...filter })).data;
  return {
    id,
    customer,
    clock,
    end,
    invoices: () => listed(),
    /** The amounts of its paid invoices. */
    paid: async () => (await listed({ status: "paid" })).map(({ amount_paid }) => amount_paid),
    read: () => stripe.subscriptions.retrieve(id),
    /** Goes to the end of the trial. Two hours later, the first charge has been tried. */
    endTrial: () => clock.advance(end + 60),
    charge: () => clock.advance(end + 2 * HOUR),
    /** The subscription with its latest invoice. */
    async state() {
      const [{ status }, [invoice]] = [await stripe.subscriptions.retrieve(id), await listed()];
      return { status, invoice: invoice?.status, cents: invoice?.amount_due, attempts: invoice?.attempt_count };
    },
  };
}

/** Subscribes as the API does. */
export function subscribe(
  { stripe }: World,
  customer: string,
  price: string,
  options?: Stripe.RequestOptions,
  metadata: Stripe.MetadataParam = {},
) {
  return stripe.subscriptions.create(
    {
      ...{ customer, items: [{ price }], metadata, off_session: true, trial_period_days: TRIAL_DAYS },
      trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
    },
    options,
  );
}

/** A day such as `2027-01-31`. */
export const dayOf = (seconds: number | null | undefined) => new Date((seconds ?? 0) * 1000).toISOString().slice(0, 10);
