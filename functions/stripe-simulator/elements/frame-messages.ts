import type { PaymentMethodCreateParams } from "@stripe/stripe-js";

/* Messages between Stripe.js and the card form in its frame. The card number never leaves the frame. */

export type BillingDetails = PaymentMethodCreateParams.BillingDetails;

/** The first message, to the frame's window, with the port for all others. */
export type FrameOptions = {
  publishableKey: string;
  /** CSS custom properties: the appearance's variables. */
  style: Record<string, string>;
  address: NonNullable<BillingDetails["address"]>;
  asksCountry: boolean;
  asksPostalCode: boolean;
  wallets: string[];
};

export type ConfirmRequest = { clientSecret: string; returnUrl: string | undefined; billingDetails: BillingDetails };

export type FromFrame =
  | { type: "ready" | "submit" }
  | { type: "height"; pixels: number }
  | { type: "change"; empty: boolean; complete: boolean };
