/** Problem type (RFC 9457, section 3.1.1) of a 409 while the same request is in progress. Any other 409 is a duplicate. */
export const REQUEST_IN_PROGRESS = "urn:problem-type:subscription-api:request-in-progress";
