import { scriptCommand } from "../wrangler/wrangler";
import type { Place } from "./target";

/** Settings without an API at Stripe (docs/operations.md, "Stripe's emails" and "Radar"). */
export function byHand(place: Place): string {
  if (place === "local") return "";
  return `
Left for you in the Dashboard, since no API reaches it:
  Settings → Billing → Subscriptions and emails (https://dashboard.stripe.com/settings/billing/automatic)
    on   emails about failed payments and expiring cards, with a link to the customer portal
    on   "Send a Stripe-hosted link for customers to confirm their payments when required", with reminders:
         a card that asks for 3-D Secure at its first charge stays past due without it
    on   retries of failed payments; cancel the subscription when all have failed
    off  reminders of a free trial's end: the API sends its own
    off  emails about upcoming renewals: a first one would come beside the API's own
  Settings → Customer emails (https://dashboard.stripe.com/settings/emails)
    on   successful payments (receipts) and refunds
  Radar (https://dashboard.stripe.com/settings/radar)
    on   "Use Radar on payment methods saved for future use"
    on   the rules "Block if CVC verification fails" and "Block if postal code verification fails"
    on   free trial abuse (https://dashboard.stripe.com/settings/radar/risk-controls)${place === "sandbox" ? "" : `\nThen give the API's packages these prices: ${scriptCommand("catalog", place)}`}`;
}
