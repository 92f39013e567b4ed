import { packagesIn } from "./catalogue/packages";
import type { Config } from "./config";
import { announcementsTo } from "./outbox/account-webhook";
import type { DeliveryServices } from "./outbox/dispatch";
import { mailOver } from "./outbox/mail";
import { outboxIn } from "./outbox/outbox";
import type { PersonalDataServices } from "./sign-ups/personal-data";
import { subscriptionsIn } from "./sign-ups/sign-up-store";
import type { TrialServices } from "./sign-ups/trial";
import { stripePayments } from "./stripe/payments";

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
