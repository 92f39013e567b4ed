/** How Stripe.js reports that a page uses it wrongly: thrown, where a failed payment would be returned. */
export class IntegrationError extends Error {
  override readonly name = "IntegrationError";
}
