import type { Config } from "./config";
import { cronRunsIn } from "./cron/cron-runs";
import type { RunLimits } from "./cron/run-limits";
import { databaseOver } from "./database";
import { restoredDatabase } from "./operator/after-restore";
import { accountWebhookTo } from "./outbox/account-webhook";
import { mailOver } from "./outbox/emails/email";
import { outboxIn } from "./outbox/outbox";
import { packagesIn } from "./packages";
import {
  LOCAL_PASSWORD_LIMITS,
  PASSWORD_LIMITS,
  type PasswordLimiter,
  passwordLimiter,
} from "./passwords/password-limiter";
import type { PasswordHasher } from "./passwords/scrypt";
import { signUpsIn } from "./sign-ups/store";
import { trialHashes } from "./sign-ups/trial-hashes";
import { signedLinks } from "./signed-links";
import { stripeClient } from "./stripe/client";
import { stripeEventList } from "./stripe/event-list";
import { stripePayments } from "./stripe/payments";
import { stripePrices } from "./stripe/prices";
import { stripeWebhook } from "./stripe/webhook-signature";

export type Services = ReturnType<typeof servicesFor> & { passwords: PasswordLimiter };

export type Connect = (config: Config, limits?: RunLimits) => Services;

/** Connects services that share one password limiter per isolate. */
export function connectWith(hasher: PasswordHasher): Connect {
  let passwords: PasswordLimiter | undefined;
  return (config, limits) => {
    passwords ??= limiterFor(config, hasher);
    return { ...servicesFor(config, limits), passwords };
  };
}

function limiterFor({ isLocal }: Config, hasher: PasswordHasher): PasswordLimiter {
  return passwordLimiter(hasher, isLocal ? LOCAL_PASSWORD_LIMITS : PASSWORD_LIMITS);
}

/** @param limits a run's limits, which count each D1 statement and Stripe call */
export function servicesFor(config: Config, limits?: RunLimits) {
  const countedFetch: typeof fetch = (...given) => {
    limits?.count(1);
    return fetch(...given);
  };
  const stripe = stripeClient(config.stripe, limits && countedFetch);
  const db = databaseOver(config.d1, () => limits?.count(1));
  return {
    packages: packagesIn(db),
    signUps: signUpsIn(db),
    trialHashes: trialHashes(config.trials),
    links: signedLinks(config.links),
    outbox: outboxIn(db),
    restored: restoredDatabase(db),
    cronRuns: cronRunsIn(db),
    payments: stripePayments(stripe, config),
    offer: config.offer,
    prices: stripePrices(stripe),
    stripeEvents: stripeEventList(stripe),
    stripeWebhook: stripeWebhook(stripe, config.stripe.webhookSecrets),
    mail: mailOver(config.mail),
    accountWebhook: config.console && accountWebhookTo(config.console),
  };
}
