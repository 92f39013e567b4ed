import type { Config } from "../config";
import type { CronRuns } from "../cron-runs";
import type { DispatchServices } from "../outbox/dispatch";
import type { StuckMessages } from "../outbox/stuck-messages";
import type { CatalogueServices } from "../plans/reconcile-prices";
import type { SignUpServices } from "../sign-ups/create-sign-up";
import type { PasswordQueue } from "../sign-ups/password/password-queue";
import type { PersonalDataServices } from "../sign-ups/personal-data";
import type { StripeWebhook } from "../stripe/webhook";

export type Services = Omit<SignUpServices, "passwords" | "inBackground" | "requestId"> &
  PersonalDataServices &
  DispatchServices &
  CatalogueServices & {
    cronRuns: CronRuns;
    stripeWebhook: StripeWebhook;
    passwords: PasswordQueue;
    stuckMessages: StuckMessages;
  };

export type ApiContext = {
  Variables: {
    config: Config;
    services: Services;
    requestId: string;
    /** The key by which a sign-up's sender is counted. */
    sender: string;
    /** Who has passed `requireOperator`: "token", or a user's id at Cloudflare Access. */
    operator: string;
    /** Sends the outbox's messages once the response is out. */
    dispatchAfterResponse: () => void;
  };
};
