/** Problem type (RFC 9457, section 3.1.1) of a 409 while the same request is in progress. Any other 409 is a duplicate. */
export const REQUEST_IN_PROGRESS = "urn:problem-type:subscription-api:request-in-progress";

/** Problem type of a 429 that Turnstile lifts: the sender's network has made its sign-ups for the day. */
export const VERIFICATION_REQUIRED = "urn:problem-type:subscription-api:verification-required";
