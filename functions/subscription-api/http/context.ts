import type { CatalogueServices } from "../catalogue/reconcile-prices";
import type { DispatchServices } from "../outbox/dispatch";
import type { SignUpServices } from "../sign-ups/create-sign-up";
import type { PersonalDataServices } from "../sign-ups/personal-data";
import type { StripeWebhook } from "../stripe/webhook";

export type Services = SignUpServices &
  PersonalDataServices &
  DispatchServices &
  CatalogueServices & { stripeWebhook: StripeWebhook };

export type ApiContext = {
  Variables: {
    services: Services;
    requestId: string;
    /** The visitor's IP address or network, where the site passes it on. */
    sender?: string | undefined;
    operatorToken: string | undefined;
    /** Sends the outbox's messages once the response is out. */
    dispatchAfterResponse: () => void;
  };
};
