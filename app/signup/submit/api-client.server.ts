import { type SubscriptionRequest, subscriptionResponse } from "../../contract/subscription-request";
import { readBoundedText } from "../../edge/guard/bounded-body.server";
import type { ServiceBinding } from "../../edge/settings/configuration.server";
import type { SubscriptionOutcome } from "../notices";

const MAX_ANSWER_BYTES = 64 * 1024;
/** What lies between the calls to an idempotent API. */
const PAUSES_MS = [100, 300];

/** The one call of the site: `POST {api base}/subscription` (specification, section 7). */
export interface SubscriptionApi {
  /**
   * Asks for a subscription. Expected failures are values; nothing of the request or of the answer's text is logged.
   * @param idempotencyKey equal for the same sign-up sent again, so that the API makes it once
   */
  create(
    request: SubscriptionRequest,
    ids: { idempotencyKey: string; requestId: string },
  ): Promise<SubscriptionOutcome>;
}

export interface SubscriptionApiOptions {
  /** The API's address without a final slash. */
  baseUrl: string;
  /** How long everything may take together: headers, body, and further calls. */
  timeoutMs: number;
  /** Whether the API makes one subscription of all calls with one key: then a failed call is made again. */
  idempotent: boolean;
  /** The API's Worker, where it is on the same account: then it is reached without the network. */
  binding?: ServiceBinding | undefined;
}

type Send = (signal: AbortSignal) => Promise<SubscriptionOutcome>;

/** The client of the API; without `idempotent`, it asks exactly once. */
export function subscriptionApi({ baseUrl, timeoutMs, idempotent, binding }: SubscriptionApiOptions): SubscriptionApi {
  return {
    create(request, { idempotencyKey, requestId }) {
      const send: Send = (signal) =>
        answerTo(binding, `${baseUrl}/subscription`, {
          method: "POST",
          headers: {
            Accept: "application/json",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotencyKey,
            "X-Request-Id": requestId,
          },
          body: JSON.stringify(request),
          // A followed redirect would send the password to another host.
          redirect: "manual",
          signal,
        });
      return idempotent ? untilAnswered(send, timeoutMs) : send(AbortSignal.timeout(timeoutMs));
    },
  };
}

/** Calls up to three times within the one deadline; later each time, so that an API under load can recover. */
async function untilAnswered(send: Send, timeoutMs: number): Promise<SubscriptionOutcome> {
  const deadline = Date.now() + timeoutMs;
  const signal = AbortSignal.timeout(timeoutMs);
  let outcome = await send(signal);
  for (const pause of PAUSES_MS) {
    if (!isTransient(outcome) || Date.now() + pause >= deadline) return outcome;
    await new Promise((resolve) => setTimeout(resolve, pause));
    outcome = await send(signal);
  }
  return outcome;
}

/** Failures that say nothing about the sign-up itself. After a missed deadline there is no time for another call. */
function isTransient(outcome: SubscriptionOutcome): boolean {
  if (outcome.kind === "unreachable") return !outcome.timedOut;
  return outcome.kind === "rejected" && [502, 503, 504].includes(outcome.status);
}

async function answerTo(
  binding: ServiceBinding | undefined,
  url: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<SubscriptionOutcome> {
  try {
    const response = await (binding ? binding.fetch(url, init) : fetch(url, init));
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: "rejected", status: response.status };
    }
    const body = await readBoundedText(response, { bytes: MAX_ANSWER_BYTES });
    if (body.status === "read") return readAnswer(body.text);
    if (body.status === "too long") return { kind: "unintelligible" };
  } catch {
    // Not reached, cut off, or given up: what follows says which.
  }
  return { kind: "unreachable", timedOut: init.signal.aborted };
}

function readAnswer(text: string): SubscriptionOutcome {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { kind: "unintelligible" };
  }
  const parsed = subscriptionResponse.safeParse(answer);
  return parsed.success ? { kind: "created", clientSecret: parsed.data.client_secret } : { kind: "misconfigured" };
}
