import { SECOND } from "../support/api-in-process/scheduler";
import type { StripeObject } from "../support/api-in-process/stripe-objects";
import type { Deeds, Form } from "./deeds";
import { CUSTOM, PACKAGES } from "./packages";
import type { World } from "./world";

/* Checked while a history runs: what is charged, shown and sent. */

/**
 * Checked whenever a subscription changes: its customer agreed to plan and price, pays no more than the form showed, has no
 * second subscription and is not charged during the trial.
 */
export function checkSubscription(world: World, deeds: Deeds, one: StripeObject) {
  const { consents, sold } = deeds;
  const { stripe, now } = world;
  const price = one.items?.data[0]?.price;
  const cents = price?.unit_amount ?? 0;
  const plan = [...PACKAGES, CUSTOM].find((known) => known.price === price?.id)?.id ?? price?.metadata.package_id;
  const emailOf = ({ customer }: StripeObject) => stripe.get(customer)?.email;
  const others = stripe.all("subscription").filter((other) => other !== one && other.status !== "canceled");
  // Sales may subscribe a customer whose sign-up has ended by "This wasn't me". The API cancels that when it hears of it.
  const hasEnded = "SELECT 1 FROM sign_ups WHERE stripe_customer_id = ? AND end_reason IS NOT NULL";
  const isSoldTooLate = ({ customer }: StripeObject) =>
    sold.has(customer ?? "") && world.rows(hasEnded, customer).length > 0;
  const isOfIntent = (setupIntent: string) => stripe.get(setupIntent)?.customer === one.customer;
  if (one.status === "active" && now < (one.trial_end ?? 0) * SECOND)
    world.violate(`${emailOf(one)} is charged before the trial ends`);
  if (others.some((other) => emailOf(other) === emailOf(one) && !isSoldTooLate(other) && !isSoldTooLate(one)))
    world.violate(`${emailOf(one)} has two subscriptions`);
  if (sold.has(one.customer ?? "")) return;
  const agreed = consents.filter((consent) => isOfIntent(consent.setupIntent) && consent.plan.id === plan);
  if (agreed.length === 0) world.violate(`${emailOf(one)} is subscribed to ${price?.id} but never agreed to it`);
  const shown = agreed.map((consent) => consent.shown ?? Infinity);
  if (cents > Math.max(...shown)) world.violate(`${emailOf(one)} pays ${cents} cents but the form showed ${shown}`);
  for (const consent of agreed) checkShownPrice(world, deeds, consent, one);
  const [row] = world.rows("SELECT * FROM sign_ups WHERE stripe_customer_id = ?", one.customer);
  if (row && (row.stripe_price_id !== price?.id || row.price_cents !== cents))
    world.violate(
      `${emailOf(one)} agreed to ${row.stripe_price_id} at ${row.price_cents} cents but is subscribed to ${price?.id} at ${cents}`,
    );
}

/**
 * The pages after the form show what Stripe charges. It may be less if the form was sent again from a page with a lower price since
 * then, for example in another tab.
 */
export function checkShownPrice(world: World, { shown }: Deeds, { name, key, plan, told }: Form, one?: StripeObject) {
  if ((told === undefined) !== (plan.id === undefined)) world.violate(`${name} is shown ${told} cents for ${plan.id}`);
  const cents = one?.items?.data[0]?.price.unit_amount ?? told;
  if (told === undefined || cents === undefined || cents === told) return;
  const isLowered = cents < told && shown.get(key)?.some((price) => price < told);
  if (!isLowered) world.violate(`${name} is shown ${told} cents, but Stripe charges ${cents}`);
}

/** An email that names the first payment names the agreed price. */
export function checkEmail(world: World, key: string, text: string): void {
  const [, id = ""] = key.split("/");
  const [row] = world.rows("SELECT price_cents FROM sign_ups WHERE id = ?", id);
  const named = /First payment: \$([\d,.]+) USD/.exec(text)?.[1]?.replace(",", "");
  // The person may have been erased while the email was on its way. Sales agree on other prices.
  if (named !== undefined && typeof row?.price_cents === "number" && Number(named) * 100 !== row.price_cents)
    world.violate(
      `The email ${key} names a first payment of $${named}, but the agreed price is ${row.price_cents} cents`,
    );
}
