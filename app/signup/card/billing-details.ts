import type { CardStepData } from "../steps";

/** The Payment Element asks for country and ZIP code only if the form's country was not recognized. */
export function billingDetails({ details: typed, countryCode }: CardStepData) {
  const details = typed && {
    name: typed.full_name,
    email: typed.email,
    phone: typed.phone,
    address: {
      line1: typed.address,
      city: typed.city,
      state: typed.state,
      postal_code: typed.zipCode,
      ...(countryCode && { country: countryCode }),
    },
  };
  const asked = countryCode ? "never" : "auto";
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
