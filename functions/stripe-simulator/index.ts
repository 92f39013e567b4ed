import { Hono } from "hono";

export { StripeAccount } from "./account";

/** The namespace of the account's Durable Object, as far as it is used here. */
type AccountNamespace = { getByName(name: string): { fetch(request: Request): Promise<Response> } };

/** Stripe.js and its frame are static assets; everything with a state is the account's. */
const app = new Hono<{ Bindings: { ACCOUNT: AccountNamespace } }>();

app.get("/health", (c) => c.json({ status: "ok" }));
for (const path of ["/v1/*", "/authenticate/*", "/emails", "/mailbox/*", "/console/*"]) {
  app.all(path, (c) => c.env.ACCOUNT.getByName("test").fetch(c.req.raw));
}

export default app;
