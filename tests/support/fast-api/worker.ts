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

/** A line of log for each hash, so that tests can count them. */
const hashed = () => console.info(JSON.stringify({ event: "password_hashed" }));

const { publicApi, SiteApi } = createApi({
  async hash(password) {
    hashed();
    return digest(password);
  },
  async verify(password, stored) {
    hashed();
    return digest(password) === stored;
  },
});

export default publicApi;
export { SiteApi };
