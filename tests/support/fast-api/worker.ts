import { createHash } from "node:crypto";
import Stripe from "stripe";
import { createApi } from "../../../functions/subscription-api/app";

/*
 * The subscription API for tests that are about neither passwords nor waiting: a hash that costs nothing, and retries of
 * calls to Stripe after 20 ms instead of half a second or more.
 */

const digest = (password: string) => createHash("sha256").update(password).digest("base64");

Stripe.prototype.getInitialNetworkRetryDelay = () => 0.02;
Stripe.prototype.getMaxNetworkRetryDelay = () => 0.02;

export default createApi({
  hash: async (password) => digest(password),
  verify: async (password, stored) => digest(password) === stored,
});
