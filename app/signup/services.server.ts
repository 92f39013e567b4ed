import type { GateRules } from "../edge/guard/request-guard.server";
import type { Configuration } from "../edge/settings/configuration.server";
import { type FormNonces, formNonces } from "./form/form-nonce.server";
import { POSTED_FIELDS } from "./form/form-schema";
import { type SignupSessions, signupSessions } from "./session/session.server";
import { type SubscriptionApi, subscriptionApi } from "./submit/api-client.server";

/** What the sign-up's route works with; made from the configuration where the Worker starts. */
export interface SignupCapabilities {
  sessions: SignupSessions;
  nonces: FormNonces;
  api: SubscriptionApi;
  /** Set by the action, read by the loader of the same answer: the page's title tells of the failure. */
  formFailed?: boolean;
}

export function signupCapabilities(configuration: Configuration): SignupCapabilities & {
  forms: Pick<GateRules, "fields" | "vouches">;
} {
  const nonces = formNonces(configuration.SESSION_SECRET);
  return {
    sessions: signupSessions(configuration.SESSION_SECRET, configuration.SITE_URL.startsWith("https:")),
    nonces,
    api: subscriptionApi({
      baseUrl: configuration.SUBSCRIPTION_API_URL,
      timeoutMs: configuration.SUBSCRIPTION_API_TIMEOUT_MS,
      idempotent: configuration.SUBSCRIPTION_API_IDEMPOTENT,
      binding: configuration.SUBSCRIPTION_API,
    }),
    forms: {
      fields: POSTED_FIELDS,
      vouches: ({ form_nonce: nonce = "" }) => nonces.isFresh(nonce),
    },
  };
}
