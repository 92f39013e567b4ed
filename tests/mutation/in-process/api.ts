import { createHash } from "node:crypto";
import Stripe from "stripe";
import { createApi } from "../../../functions/subscription-api/app";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";

const digest = (password: string) => createHash("sha256").update(password).digest("base64");

/** As in tests/support/fast-api/worker.ts. */
const fastPasswords = {
  hash: async (password: string) => digest(password),
  verify: async (password: string, stored: string) => digest(password) === stored,
};

/** @param fast with a hash that costs nothing, and without waiting between the tries of a call to Stripe */
export function makeApi({ fast }: { fast: boolean }) {
  if (fast) {
    Stripe.prototype.getInitialNetworkRetryDelay = () => 0.02;
    Stripe.prototype.getMaxNetworkRetryDelay = () => 0.02;
  }
  return createApi(fast ? fastPasswords : scryptPasswords).publicApi;
}
