/** Problem type (RFC 9457, section 3.1.1) of a 409 while the same request is in progress. */
export const REQUEST_IN_PROGRESS = "urn:problem-type:subscription-api:request-in-progress";

/**
 * Problem type of a 409 when the plan costs more than the form showed. Its members `price_cents` and `currency` are the plan's price.
 * Nothing new was stored. A 409 of neither type is a duplicate.
 */
export const PRICE_CHANGED = "urn:problem-type:subscription-api:price-changed";

/** Problem type of a 422 when the plan is no longer sold. */
export const PLAN_RETIRED = "urn:problem-type:subscription-api:plan-retired";
