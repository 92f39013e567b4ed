/** Rate limit key of the visitor (`rateLimitKeyOf`). The API trusts it from the site only. */
export const SENDER_HEADER = "Subscription-Sender";
