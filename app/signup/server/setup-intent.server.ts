import * as z from "zod/mini";
import type { Log } from "../../pipeline/log.server";
import { readBoundedText } from "../../shared/http/bounded-body";
import { type FailedCall, failedBody, failedCall } from "../../shared/http/failed-call";
import { isOverLimit, type RateLimit } from "../../shared/http/rate-limit";
import { rateLimitKeyOf } from "../../shared/http/rate-limit-key";
import type { SetupIntentAnswer } from "../session-state";

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Longer than Stripe's messages. The limit keeps the cookie and the notice small. */
const MAX_MESSAGE_LENGTH = 300;

export interface SetupIntents {
  /** `unreachable`, also for a sender over the rate limit, is logged with its cause. */
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

/** Needs no secret key, only the publishable one: https://docs.stripe.com/api/setup_intents/retrieve */
export function setupIntents({
  apiUrl,
  key,
  limiter,
}: {
  apiUrl: string;
  key: string;
  limiter: RateLimit;
}): SetupIntents {
  type Asked = { expand: boolean; signal: AbortSignal };
  async function ask(clientSecret: string, { expand, signal }: Asked): Promise<Response> {
    const id = clientSecret.split("_secret_")[0] ?? "";
    const query = new URLSearchParams({
      client_secret: clientSecret,
      ...(expand && { "expand[0]": "payment_method" }),
    });
    return fetch(`${apiUrl}/v1/setup_intents/${encodeURIComponent(id)}?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      redirect: "manual",
      signal,
    });
  }

  return {
    async retrieve(clientSecret, { ip, log }) {
      if (!CLIENT_SECRET.test(clientSecret)) return { status: "unknown" };
      if (await isOverLimit(limiter, rateLimitKeyOf(ip), log)) {
        log.warn("card_check_limited");
        return { status: "unreachable" };
      }
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const failed = (call: FailedCall): SetupIntentAnswer => {
        log.warn("card_check_failed", call);
        return { status: "unreachable" };
      };
      try {
        let response = await ask(clientSecret, { expand: true, signal });
        // The card is only displayed. If reading it is not permitted, the state is enough.
        if (response.status === 400) {
          await response.body?.cancel();
          response = await ask(clientSecret, { expand: false, signal });
        }
        if (!response.ok) {
          await response.body?.cancel();
          const { status } = response;
          if (status === 400 || status === 404) return { status: "unknown" };
          if (status !== 401 && status !== 403) return failed({ cause: "status", status });
          log.error("stripe_key_refused", { status });
          return { status: "unreachable" };
        }
        const body = await readBoundedText(response, { bytes: MAX_RESPONSE_BYTES });
        if (body.status !== "read") return failed(failedBody(body.status, signal));
        return answerIn(JSON.parse(body.text));
      } catch (error) {
        return failed(failedCall(error));
      }
    },
  };
}

function answerIn(json: unknown): SetupIntentAnswer {
  const { status, payment_method, last_setup_error } = setupIntent.parse(json);
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
