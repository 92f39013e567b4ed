import { announcementsTo } from "./announcement";
import type { Config } from "./config";
import type { DeliveryServices } from "./delivery";
import { mailOver } from "./mail";
import { outboxIn } from "./outbox";
import { packagesIn } from "./packages";
import type { PersonalDataServices } from "./personal-data";
import { stripePayments } from "./stripe";
import { subscriptionsIn } from "./subscriptions";
import type { TrialServices } from "./trial";

/** The parts that the configuration describes, each once. */
export type Services = TrialServices & DeliveryServices & PersonalDataServices;

/** What a route finds in Hono's context. */
export type ApiContext = {
  Variables: {
    services: Services;
    requestId: string;
    operatorToken: string | undefined;
    /** Sends the messages that a route has caused, once its answer is out. */
    afterwards: () => void;
  };
};

/** Puts the parts together. */
export function servicesFor(config: Config): Services {
  return {
    packages: packagesIn(config.db),
    subscriptions: subscriptionsIn(config.db),
    payments: stripePayments(config.stripe),
    outbox: outboxIn(config.db),
    mail: mailOver(config.mail),
    announcements: config.console && announcementsTo(config.console),
  };
}
