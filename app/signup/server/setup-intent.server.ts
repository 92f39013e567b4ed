import * as z from "zod/mini";
import type { Log } from "../../pipeline/log.server";
import { readBoundedText } from "../../shared/bounded-body";
import { isOverLimit, type RateLimit } from "../../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../../shared/limits/rate-limit-key";
import type { SetupIntentAnswer } from "../session-state";

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Longer than Stripe's messages. The limit keeps the cookie and the notice small. */
const MAX_MESSAGE_LENGTH = 300;

export interface SetupIntents {
  /** Also returns `unreachable` for a sender over the rate limit. */
  retrieve(clientSecret: string, asker: { ip: string | null; log: Log }): Promise<SetupIntentAnswer>;
}

/** A card in an unexpected format is not shown. */
const card = z.object({
  brand: z.string().check(z.regex(/^\w{1,32}$/)),
  last4: z.string().check(z.regex(/^\d{4}$/)),
});

const setupIntent = z.object({
  status: z.string(),
  payment_method: z.catch(z.optional(z.object({ card: z.optional(card) })), undefined),
  last_setup_error: z.catch(z.nullish(z.object({ message: z.optional(z.string()) })), null),
});

/** Checked before a call to Stripe, because somebody else's API may return anything. */
const CLIENT_SECRET = /^seti_\w{1,255}_secret_\w{1,1000}$/;

/**
 * Retrieves setup intents with the client secret and the publishable key, so that the site needs no secret key.
 * Source: https://docs.stripe.com/api/setup_intents/retrieve
 */
export function setupIntents({
  apiUrl,
  key,
  limiter,
}: {
  apiUrl: string;
  key: string;
  limiter: RateLimit;
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
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  return {
    async retrieve(clientSecret, { ip, log }) {
      if (!CLIENT_SECRET.test(clientSecret)) return { status: "unknown" };
      if (await isOverLimit(limiter, rateLimitKeyOf(ip), log)) {
        log.warn("card_check_limited");
        return { status: "unreachable" };
      }
      try {
        let response = await ask(clientSecret, true);
        // The card is only displayed. If reading it is not permitted, the state is enough.
        if (response.status === 400) {
          await response.body?.cancel();
          response = await ask(clientSecret, false);
        }
        if (response.ok) return await read(response);
        await response.body?.cancel();
        if (response.status === 401 || response.status === 403)
          log.error("stripe_key_refused", { status: response.status });
        return { status: response.status === 400 || response.status === 404 ? "unknown" : "unreachable" };
      } catch {
        return { status: "unreachable" };
      }
    },
  };
}

async function read(response: Response): Promise<SetupIntentAnswer> {
  const body = await readBoundedText(response, { bytes: MAX_RESPONSE_BYTES });
  if (body.status !== "read") return { status: "unreachable" };
  const { status, payment_method, last_setup_error } = setupIntent.parse(JSON.parse(body.text));
  switch (status) {
    case "succeeded":
      return { status, card: payment_method?.card };
    case "processing":
    case "canceled":
      return { status };
    default:
      return { status: "open", message: cut(last_setup_error?.message) };
  }
}

function cut(message: string | undefined): string | undefined {
  const characters = [...(message ?? "")];
  if (characters.length <= MAX_MESSAGE_LENGTH) return message;
  return `${characters.slice(0, MAX_MESSAGE_LENGTH - 1).join("")}…`;
}
