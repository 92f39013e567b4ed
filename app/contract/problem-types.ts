/** Problem types (RFC 9457, section 3.1.1). This one is of a 409 while the same request is in progress. */
export const REQUEST_IN_PROGRESS = "urn:problem-type:subscription-api:request-in-progress";

// Of a 409 when the terms are worse than the form showed. Its members are the terms that a form can have now. Nothing new
// was stored. A 409 of neither type is a duplicate.
export const TERMS_CHANGED = "urn:problem-type:subscription-api:terms-changed";

export const PLAN_RETIRED = "urn:problem-type:subscription-api:plan-retired";
