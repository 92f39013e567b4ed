/** The release of Stripe.js that the installed @stripe/stripe-js expects. */
export const STRIPE_JS_URL = "https://js.stripe.com/endive/stripe.js";
