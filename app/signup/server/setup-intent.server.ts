import * as z from "zod/mini";
import type { Log } from "../../pipeline/log.server";
import { readBoundedText } from "../../shared/bounded-body";
import { isOverLimit, type RateLimit } from "../../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../shared/limits/rate-limit-key";
import type { Pending, SetCard, SignupSession } from "../steps";
import { messageForVisitor } from "../stripe-errors";
import type { SubscriptionApi } from "./api-client.server";

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** A setup intent's state at Stripe. */
export type SetupState =
  | { status: "succeeded"; id: string; card?: SetCard | undefined }
  | { status: "processing" | "canceled" }
  /** It still needs a card; `message` is Stripe's, after a failed attempt. */
  | { status: "open"; message?: string | undefined }
  /** Stripe does not know the secret. */
  | { status: "invalid" }
  | { status: "unreachable" };

export interface SetupIntents {
  /** `unreachable` also for a sender over the rate limit. */
  retrieve(clientSecret: string, asker: { ip: string | null; log: Log }): Promise<SetupState>;
}

const setupIntent = z.object({
  id: z.string(),
  status: z.string(),
  payment_method: z.catch(
    z.optional(z.object({ card: z.optional(z.object({ brand: z.string(), last4: z.string() })) })),
    undefined,
  ),
  last_setup_error: z.catch(
    z.nullable(
      z.object({ type: z.optional(z.string()), code: z.optional(z.string()), message: z.optional(z.string()) }),
    ),
    null,
  ),
});

/** Checked before asking Stripe, because anyone can send one. */
const CLIENT_SECRET = /^seti_\w{1,255}_secret_\w{1,1000}$/;

/**
 * Retrieves setup intents with client secret and publishable key, so that the site needs no secret key.
 * Source: https://docs.stripe.com/api/setup_intents/retrieve
 */
export function setupIntents({
  apiUrl,
  key,
  limiter,
  deadlineFactor = 1,
}: {
  apiUrl: string;
  key: string;
  limiter: RateLimit;
  deadlineFactor?: number;
}): SetupIntents {
  async function ask(clientSecret: string, expand: boolean): Promise<Response> {
    const id = clientSecret.split("_secret_")[0] ?? "";
    const query = new URLSearchParams({
      client_secret: clientSecret,
      ...(expand && { "expand[0]": "payment_method" }),
    });
    return fetch(`${apiUrl}/v1/setup_intents/${encodeURIComponent(id)}?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS * deadlineFactor),
    });
  }

  return {
    async retrieve(clientSecret, { ip, log }) {
      if (!CLIENT_SECRET.test(clientSecret)) return { status: "invalid" };
      if (await isOverLimit(limiter, rateLimitKeyOf(ip), log)) {
        log.warn("card_check_limited");
        return { status: "unreachable" };
      }
      try {
        let response = await ask(clientSecret, true);
        // The card is only displayed; without permission to read it, the state is enough.
        if (response.status === 400) {
          await response.body?.cancel();
          response = await ask(clientSecret, false);
        }
        if (!response.ok) await response.body?.cancel();
        if (response.status === 401 || response.status === 403) {
          log.error("stripe_key_refused", { status: response.status });
          return { status: "unreachable" };
        }
        if (response.status >= 400 && response.status < 500 && response.status !== 429) return { status: "invalid" };
        if (!response.ok) return { status: "unreachable" };
        const body = await readBoundedText(response, { bytes: MAX_RESPONSE_BYTES });
        if (body.status !== "read") return { status: "unreachable" };
        return stateOf(setupIntent.parse(JSON.parse(body.text)));
      } catch {
        return { status: "unreachable" };
      }
    },
  };
}

function stateOf({ id, status, payment_method, last_setup_error }: z.output<typeof setupIntent>): SetupState {
  switch (status) {
    case "succeeded":
      return { status, id, card: payment_method?.card };
    case "processing":
    case "canceled":
      return { status };
    default:
      return { status: "open", message: messageForVisitor(last_setup_error) };
  }
}

/**
 * A sign-up's next state after asking Stripe, and the API if it reports a status: only a started trial is a success.
 * @param checks how often Stripe was asked before
 */
export async function nextState(
  signUp: Pending,
  checks: number,
  context: { api: SubscriptionApi; setupIntents: SetupIntents; requestId: string; ip: string | null; log: Log },
): Promise<SignupSession> {
  const { setupIntents, api, requestId } = context;
  const { key, requestId: firstRequest, packageId, details, expiresAt, clientSecret, statusUrl, resumed } = signUp;
  const own = { key, requestId: firstRequest, packageId, details, expiresAt };
  const pending = { ...own, clientSecret, statusUrl, resumed };
  const waiting = (reason: "processing" | "unreachable"): SignupSession => {
    return { ...pending, state: "waiting", reason, checks: checks + 1 };
  };
  const card = await setupIntents.retrieve(clientSecret, context);
  switch (card.status) {
    case "processing":
    case "unreachable":
      return waiting(card.status);
    case "open":
      if (expiresAt <= Date.now()) return { ...pending, state: "ended", why: "expired" };
      return { ...pending, state: "card", flash: "declined", message: card.message };
    case "canceled":
    case "invalid":
      return { ...pending, state: "ended", why: "canceled" };
  }
  const trial = statusUrl === undefined ? { status: "trial" as const } : await api.status(statusUrl, requestId);
  switch (trial.status) {
    case "trial": {
      const trialEnd = "trial_end" in trial ? trial.trial_end : undefined;
      const done = { setupIntentId: card.id, startedAt: new Date().toISOString(), trialEnd, card: card.card };
      return { ...own, ...done, state: "done", flash: "saved" };
    }
    case "card_used":
      if (trial.client_secret === clientSecret) return waiting("unreachable");
      return { ...pending, clientSecret: trial.client_secret, state: "card", flash: "card used" };
    case "ended":
      return { ...pending, state: "ended", why: "canceled" };
    case "unknown":
      // The API tells no status after the sign-up's time.
      return expiresAt <= Date.now() ? { ...pending, state: "ended", why: "too old" } : waiting("unreachable");
    default:
      return waiting("unreachable");
  }
}
