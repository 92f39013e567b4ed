// What an API does beyond the contract: the reference API all of it, another API what SUBSCRIPTION_API_PROMISES names.
// docs/operations.md, "The site with your own API".
export const API_PROMISES = [
  "confirms-email",
  "reminds",
  "links-portal",
  "ends-sign-ups",
  "charges-only-plans",
  "follows-security-page",
] as const;

export type ApiPromise = (typeof API_PROMISES)[number];
