import type { Configuration } from "../../pipeline/settings/configuration.server";
import { type Challenges, challenges } from "./bots/challenge.server";
import { type Turnstile, turnstile } from "./bots/turnstile.server";
import { type SetupIntents, setupIntents } from "./card/read-setup-intent.server";
import { type SignupSessions, signupSessions } from "./session/session.server";
import { type SubscriptionApi, subscriptionApi } from "./submit/api-client.server";
import { type FormNonces, formNonces } from "./submit/form-nonce.server";

export interface SignupServices {
  sessions: SignupSessions;
  nonces: FormNonces;
  challenges: Challenges;
  turnstile: Turnstile;
  api: SubscriptionApi;
  setupIntents: SetupIntents;
}

export function signupServices(configuration: Configuration): SignupServices {
  const deadlineFactor = configuration.DEADLINE_FACTOR;
  return {
    sessions: signupSessions(configuration.SESSION_SECRET, configuration.SITE_URL.startsWith("https:")),
    nonces: formNonces(configuration.SESSION_SECRET),
    challenges: challenges(configuration.SESSION_SECRET),
    turnstile: turnstile({
      siteKey: configuration.TURNSTILE_SITE_KEY,
      secretKey: configuration.TURNSTILE_SECRET_KEY,
      deadlineFactor,
    }),
    api: subscriptionApi({
      baseUrl: configuration.SUBSCRIPTION_API_URL,
      timeoutMs: configuration.SUBSCRIPTION_API_TIMEOUT_MS * deadlineFactor,
      idempotent: configuration.SUBSCRIPTION_API_IDEMPOTENT,
      binding: configuration.SUBSCRIPTION_API,
      secret: configuration.SUBSCRIPTION_API_SECRET,
    }),
    setupIntents: setupIntents({
      apiUrl: configuration.STRIPE_API_URL ?? "https://api.stripe.com",
      key: configuration.STRIPE_PUBLISHABLE_KEY,
      limiter: configuration.CARD_CHECK_RATE_LIMIT,
      deadlineFactor,
    }),
  };
}
