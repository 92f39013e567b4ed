import type { PaymentMethodCreateParams, SetupIntentResult, StripeError } from "@stripe/stripe-js";

/* Messages between Stripe.js and the card form in its frame. The card number never leaves the frame. */

export type BillingDetails = PaymentMethodCreateParams.BillingDetails;

export type FrameOptions = {
  publishableKey: string;
  /** CSS custom properties: the appearance's variables. */
  style: Record<string, string>;
  billingDetails: BillingDetails;
  asksCountry: boolean;
  asksPostalCode: boolean;
  readOnly: boolean;
  /** Empty where the page does not want it. */
  mandate: string;
};

/** The first message, to the frame's window, with the port. */
export const CONNECT = "stripe-simulator:connect";

export type ToFrame =
  | { type: "options"; options: FrameOptions }
  | { type: "validate"; id: number }
  | { type: "confirm"; id: number; clientSecret: string; returnUrl?: string; billingDetails?: BillingDetails }
  | { type: "focus" | "blur" | "clear" };

export type FromFrame =
  | { type: "ready" | "focus" | "blur" | "escape" | "submit" }
  | { type: "height"; pixels: number }
  | { type: "change"; empty: boolean; complete: boolean; country: string | null; postalCode: string | null }
  | { type: "validated"; id: number; error?: StripeError }
  | { type: "confirmed"; id: number; result: SetupIntentResult };
