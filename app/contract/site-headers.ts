/** The visitor's rate limit key (`rateLimitKeyOf`). The API trusts it only through the site's service binding. */
export const RATE_LIMIT_KEY_HEADER = "Subscription-Sender";

/** The terms that the form showed, as JSON. The API creates no sign-up with worse ones. */
export const SHOWN_TERMS_HEADER = "Subscription-Terms";
