import type { Config } from "./config";
import { packagesIn } from "./packages";
import type { SignUpServices } from "./signup";
import { stripePayments } from "./stripe";
import { subscriptionsIn } from "./subscriptions";

/** What a route finds in Hono's context. */
export type ApiContext = { Variables: { services: SignUpServices; requestId: string } };

/** Puts the parts together that the configuration describes. */
export function servicesFor(config: Config): SignUpServices {
  return {
    packages: packagesIn(config.db),
    subscriptions: subscriptionsIn(config.db),
    payments: stripePayments(config.stripe),
  };
}
