import * as z from "zod/mini";
import { MAX_CENTS } from "./money";

/* Not for scripts, for which the rules would weigh too much. */

/** Stripe's longest trial. */
const MAX_TRIAL_DAYS = 730;

export const terms = z.object({
  /** US cents a month. Missing without a plan, or if nobody says it. */
  price_cents: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_CENTS))),
  tax_added: z.boolean(),
  /** The days from the card's setup to the first charge. */
  trial_days: z.int().check(z.minimum(1), z.maximum(MAX_TRIAL_DAYS)),
});

/** The terms that a form showed or an API names; others are unknown. */
export const someTerms = z.partial(terms);

/** Like `someTerms`, but ignores what is not valid. */
export const validTerms = z.object({
  price_cents: z.catch(someTerms.shape.price_cents, undefined),
  tax_added: z.catch(someTerms.shape.tax_added, undefined),
  trial_days: z.catch(someTerms.shape.trial_days, undefined),
});

/** The terms in an answer: the sign-up's, or the ones that a form can have now after `terms-changed`. */
export const termsFields = { ...validTerms.shape, currency: z.catch(z.optional(z.literal("usd")), undefined) };

export function termsIn(
  answer: z.output<typeof someTerms> & { currency?: "usd" | undefined; status?: string },
): z.output<typeof someTerms> {
  const { currency, price_cents, tax_added, trial_days } = answer;
  return { price_cents: currency && price_cents, tax_added, trial_days };
}
