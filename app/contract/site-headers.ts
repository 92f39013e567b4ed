/** Rate limit key of the visitor (`rateLimitKeyOf`). The API trusts it from the site's service binding only. */
export const SENDER_HEADER = "Subscription-Sender";
