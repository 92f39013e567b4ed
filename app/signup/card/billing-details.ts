import type { CardStepData } from "../steps";

/** Billing details from the form. The Payment Element asks again only for a country or ZIP code that Stripe cannot use. */
export function billingDetails({ account, address, countryCode }: CardStepData) {
  const details = {
    ...(account && { name: account.fullName, email: account.email, phone: account.phone }),
    ...(address && {
      address: {
        line1: address.line1,
        city: address.city,
        state: address.state,
        postal_code: address.postalCode,
        ...(countryCode && { country: countryCode }),
      },
    }),
  };
  const asked = address && countryCode ? "never" : "auto";
  return {
    elementOptions: {
      defaultValues: { billingDetails: details },
      fields: { billingDetails: { address: { country: asked, postalCode: asked } } },
    } as const,
    // Stripe requires every field here that the element hides:
    // https://docs.stripe.com/payments/payment-element/control-billing-details-collection
    confirmParams: { payment_method_data: { billing_details: details } },
  };
}
