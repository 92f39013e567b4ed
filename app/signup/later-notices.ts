import { type Notice, UNEXPECTED } from "./notices";

/* The notices of the steps after the form. Wording: docs/requirements.md, M. */

export const SAVED: Notice = {
  kind: "success",
  title: "Subscription Data Saved!",
  message: "Now proceeding to payment...",
};
export const CARD_SUCCESSFUL: Notice = {
  kind: "success",
  title: "Card Successful!",
  message: "Your card has been processed successfully.",
};
export const SUBSCRIPTION_SUCCESSFUL: Notice = {
  kind: "success",
  title: "subscription Successful!",
  message: "Your subscription has been completed successfully.",
};

export function paymentFailed(message: string | undefined): Notice {
  return { kind: "destructive", title: "Payment Failed", message: message || "An error occurred during payment" };
}

export const CARD_USED: Notice = {
  kind: "destructive",
  title: "Payment Failed",
  message: "This card has already been used for a free trial. Use another card, or contact sales.",
  actions: ["sales"],
};

export const PAYMENT_ERROR: Notice = { kind: "destructive", title: "Payment Error", message: UNEXPECTED };
