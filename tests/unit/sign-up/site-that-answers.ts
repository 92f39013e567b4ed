import { type Site, siteContext } from "../../support/site-in-process/site-context";

/** Answers of Stripe and the API. `stripeStatus` is 200 by default. */
export interface Answers {
  stripe?: object;
  stripeStatus?: number;
  api?: object;
}

export const SUCCEEDED = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };
export const TRIAL = { stripe: SUCCEEDED, api: { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" } };
export const PROCESSING: Answers = { stripe: { status: "processing" } };
export const UNREACHABLE: Answers = { stripeStatus: 500 };

export function siteThatAnswers({ stripe = {}, stripeStatus = 200, api = {} }: Answers = {}): Site {
  const site = siteContext();
  site.stripe.status = stripeStatus;
  Object.assign(site.stripe.says, stripe);
  site.api.status = () => Response.json(api);
  return site;
}
