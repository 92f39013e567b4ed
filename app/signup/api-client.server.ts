import type { ServiceBinding } from "../edge/configuration.server";
import { type SubscriptionRequest, subscriptionResponse } from "./contract";
import type { SubscriptionOutcome } from "./notices";

const MAX_ANSWER_BYTES = 64 * 1024;

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

/**
 * @param baseUrl the API's address without a final slash
 * @param timeoutMs how long headers and body may take together
 * @param binding the API's Worker, where it is on the same account: reached without the network
 */
export function subscriptionApi(baseUrl: string, timeoutMs: number, binding?: ServiceBinding): SubscriptionApi {
  const send: ServiceBinding["fetch"] = (url, init) => (binding ? binding.fetch(url, init) : fetch(url, init));
  return {
    async create(request, { idempotencyKey, requestId }) {
      try {
        const response = await send(`${baseUrl}/subscription`, {
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
          signal: AbortSignal.timeout(timeoutMs),
        });
        if (!response.ok) {
          await response.body?.cancel();
          return { kind: "rejected", status: response.status };
        }
        return readAnswer(await readText(response));
      } catch (error) {
        return { kind: "unreachable", timedOut: error instanceof Error && error.name === "TimeoutError" };
      }
    },
  };
}

function readAnswer(text: string | undefined): SubscriptionOutcome {
  let answer: unknown;
  try {
    answer = JSON.parse(text ?? "");
  } catch {
    return { kind: "unintelligible" };
  }
  const parsed = subscriptionResponse.safeParse(answer);
  return parsed.success ? { kind: "created", clientSecret: parsed.data.client_secret } : { kind: "misconfigured" };
}

/** The body as text without a byte order mark; undefined when it is longer than the cap. */
async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}
