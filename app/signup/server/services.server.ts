import type { Configuration } from "../../pipeline/settings/configuration.server";
import { type SubscriptionApi, subscriptionApi } from "./api-client.server";
import { type IdempotencyKeyOf, idempotencyKeys } from "./form/idempotency-key.server";
import { type Turnstile, turnstile } from "./form/turnstile.server";
import { type ResumeLinks, resumeLinks } from "./session/resume-link.server";
import { type SignupSessions, signupSessions } from "./session/session.server";
import { type SetupIntents, setupIntents } from "./setup-intent.server";

export interface SignupServices {
  sessions: SignupSessions;
  resumeLinks: ResumeLinks;
  idempotencyKeyOf: IdempotencyKeyOf;
  turnstile: Turnstile | undefined;
  api: SubscriptionApi;
  setupIntents: SetupIntents;
}

export function signupServices(configuration: Configuration): SignupServices {
  const { SESSION_SECRET: secrets, SUBSCRIPTION_API_URL: apiUrl, TURNSTILE_SECRET_KEY: turnstileKey } = configuration;
  return {
    sessions: signupSessions(secrets, configuration.SITE_URL.startsWith("https:")),
    resumeLinks: resumeLinks(secrets, apiUrl),
    idempotencyKeyOf: idempotencyKeys(secrets),
    turnstile: turnstileKey === undefined ? undefined : turnstile(turnstileKey),
    api: subscriptionApi({
      baseUrl: apiUrl,
      timeoutMs: configuration.SUBSCRIPTION_API_TIMEOUT_MS,
      idempotent: configuration.SUBSCRIPTION_API_IDEMPOTENT,
      binding: configuration.SUBSCRIPTION_API,
    }),
    setupIntents: setupIntents({
      apiUrl: configuration.STRIPE_API_URL ?? "https://api.stripe.com",
      key: configuration.STRIPE_PUBLISHABLE_KEY,
      limiter: configuration.CARD_CHECK_RATE_LIMIT,
    }),
  };
}
