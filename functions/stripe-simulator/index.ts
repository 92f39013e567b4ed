import { Hono } from "hono";

export { StripeAccount } from "./account";

type AccountNamespace = { getByName(name: string): { fetch(request: Request): Promise<Response> } };

/** Stripe.js and its frame are static assets; the account has all state. */
const app = new Hono<{ Bindings: { ACCOUNT: AccountNamespace } }>();

for (const path of [
  "/health",
  "/v1/*",
  "/authenticate/*",
  "/emails",
  "/mailbox/*",
  "/console/*",
  "/dashboard/*",
  "/p/*",
]) {
  app.all(path, (c) => c.env.ACCOUNT.getByName("test").fetch(c.req.raw));
}

export default app;
