/** Proves to an API across the network that the site sent the request. */
export const API_SECRET_HEADER = "Subscription-Api-Secret";

/** Rate limit key of the visitor (`rateLimitKeyOf`). The API trusts it from the site only. */
export const SENDER_HEADER = "Subscription-Sender";

/** `true` where Turnstile took the visitor for a person. The API trusts it from the site only. */
export const VERIFIED_HEADER = "Subscription-Sender-Verified";

/** Values of `SUBSCRIPTION_API_SECRET`: 32 to 256 printable ASCII characters without spaces and commas. */
export const API_SECRET = /^[\x21-\x2b\x2d-\x7e]{32,256}$/;
