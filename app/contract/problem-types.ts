/** `type` of the 409 for a request that is still being worked on (RFC 9457, section 3.1.1). Any other 409 is a duplicate. */
export const REQUEST_IN_PROGRESS = "urn:problem-type:subscription-api:request-in-progress";
