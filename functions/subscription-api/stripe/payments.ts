import type Stripe from "stripe";
import type { Config } from "../config";
import { stripeSetupIntents } from "./card-setup";
import { stripeChargePreviews } from "./charge-preview";
import { stripeCustomers } from "./customers";
import { stripeSubscriptions } from "./subscriptions";

export type Payments = ReturnType<typeof stripePayments>;

/** Repeated calls find the objects that earlier ones created. Every method throws PaymentsError. */
export function stripePayments(stripe: Stripe, { links }: Pick<Config, "links">) {
  return {
    ...stripeCustomers(stripe, links.publicUrl),
    ...stripeSetupIntents(stripe),
    ...stripeSubscriptions(stripe),
    ...stripeChargePreviews(stripe),
  };
}
