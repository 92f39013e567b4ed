import type { CardStepData } from "../steps";

/** What the Payment Element and Stripe get of the form; a country and ZIP code that Stripe can use are not asked again. */
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
    // Stripe requires here what the element does not ask:
    // https://docs.stripe.com/payments/payment-element/control-billing-details-collection
    confirmParams: { payment_method_data: { billing_details: details } },
  };
}
