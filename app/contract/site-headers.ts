/** Rate limit key of the visitor (`rateLimitKeyOf`). The API trusts it from the site's service binding only. */
export const SENDER_HEADER = "Subscription-Sender";

/** Monthly price of the plan in US cents, as the form showed it: the API creates no sign-up at a higher price. */
export const SHOWN_PRICE_HEADER = "Subscription-Price-Cents";
