/** A wrong use of Stripe.js. */
export class IntegrationError extends Error {
  override readonly name = "IntegrationError";
}
