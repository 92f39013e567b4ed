/** The visitor's rate limit key (`rateLimitKeyOf`). The API trusts it only through the site's service binding. */
export const RATE_LIMIT_KEY_HEADER = "Subscription-Sender";

/** The plan's monthly price in US cents, as the form showed it. The API creates no sign-up at a higher price. */
export const SHOWN_PRICE_HEADER = "Subscription-Price-Cents";
