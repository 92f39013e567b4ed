import type { Config } from "../config";
import type { CronRuns } from "../cron-runs";
import type { Erasures } from "../operator/erasures";
import type { RestoreServices } from "../operator/restore/after-restore";
import type { DispatchServices } from "../outbox/dispatch";
import type { StuckMessages } from "../outbox/stuck-messages";
import type { CatalogServices } from "../plans/reconcile-prices";
import type { SignUpServices } from "../sign-ups/create-sign-up";
import type { PasswordQueue } from "../sign-ups/password/password-queue";
import type { PersonalDataServices } from "../sign-ups/personal-data";
import type { StripeWebhook } from "../stripe/events";

export type Services = Omit<SignUpServices, "passwords" | "inBackground" | "requestId"> &
  PersonalDataServices &
  DispatchServices &
  RestoreServices &
  CatalogServices & {
    cronRuns: CronRuns;
    stripeWebhook: StripeWebhook;
    passwords: PasswordQueue;
    stuckMessages: StuckMessages;
    erasures: Erasures;
  };

export type ApiContext = {
  Variables: {
    config: Config;
    services: Services;
    requestId: string;
    sender: string;
    isVerified: boolean;
    /** "token", or a user's id at Cloudflare Access. */
    operator: string;
    dispatchAfterResponse: () => void;
  };
};
