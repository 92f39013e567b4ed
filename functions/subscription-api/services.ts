import { packagesIn } from "./catalogue/packages";
import type { Config } from "./config";
import { accountWebhookTo } from "./outbox/account-webhook";
import type { DispatchServices } from "./outbox/dispatch";
import { mailOver } from "./outbox/mail";
import { outboxIn } from "./outbox/outbox";
import type { PersonalDataServices } from "./sign-ups/personal-data";
import { signUpsIn } from "./sign-ups/sign-up-store";
import type { TrialServices } from "./sign-ups/trial";
import { stripePayments } from "./stripe/payments";

/** The parts that the configuration describes, each once. */
export type Services = TrialServices & DispatchServices & PersonalDataServices;

/** What a route finds in Hono's context. */
export type ApiContext = {
  Variables: {
    services: Services;
    requestId: string;
    operatorToken: string | undefined;
    /** Sends the messages that a route has caused, once its answer is out. */
    dispatchAfterResponse: () => void;
  };
};

/** Puts the parts together. */
export function servicesFor(config: Config): Services {
  return {
    packages: packagesIn(config.db),
    signUps: signUpsIn(config.db),
    payments: stripePayments(config.stripe),
    outbox: outboxIn(config.db),
    mail: mailOver(config.mail),
    accountWebhook: config.console && accountWebhookTo(config.console),
  };
}
