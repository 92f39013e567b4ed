import type * as z from "zod/mini";
import type { someTerms, terms } from "./terms-schema";

/* What a form shows and its sign-up keeps, even if a setting, a release or the price list changes. */

export type Terms = z.output<typeof terms>;

export type SomeTerms = z.output<typeof someTerms>;

/** The same object if nothing is said that is not known. */
export function withSaid(known: Terms, said: SomeTerms): Terms {
  const { price_cents = known.price_cents, tax_added = known.tax_added, trial_days = known.trial_days } = said;
  const isKnown = price_cents === known.price_cents && tax_added === known.tax_added && trial_days === known.trial_days;
  return isKnown ? known : { price_cents, tax_added, trial_days };
}

/** True if somebody who was shown other terms has to agree to these first. */
export function isWorse(terms: SomeTerms, shown: SomeTerms): boolean {
  return (
    isAbove(terms.price_cents, shown.price_cents) ||
    (terms.tax_added === true && shown.tax_added === false) ||
    isAbove(shown.trial_days, terms.trial_days)
  );
}

function isAbove(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}
