import type { CatalogueServices } from "../catalogue/reconcile-prices";
import type { DispatchServices } from "../outbox/dispatch";
import type { PersonalDataServices } from "../sign-ups/personal-data";
import type { TrialServices } from "../sign-ups/trial";
import type { StripeWebhook } from "../stripe/webhook";

export type Services = TrialServices &
  PersonalDataServices &
  DispatchServices &
  CatalogueServices & { stripeWebhook: StripeWebhook };

/** What a route finds in Hono's context. */
export type ApiContext = {
  Variables: {
    services: Services;
    requestId: string;
    operatorToken: string | undefined;
    /** Sends the outbox's messages once the response is out. */
    dispatchAfterResponse: () => void;
  };
};
