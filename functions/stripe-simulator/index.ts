export { StripeAccount } from "./simulated-account";

type AccountNamespace = { getByName(name: string): { fetch(request: Request): Promise<Response> } };

/** Stripe.js and its frame are static assets; the account has all state. */
export default {
  fetch: (request: Request, { ACCOUNT }: { ACCOUNT: AccountNamespace }) => ACCOUNT.getByName("test").fetch(request),
};
