import * as z from "zod/mini";
import { type PackageResponse, packageResponse } from "../../contract/package-response";
import { PLAN_RETIRED, REQUEST_IN_PROGRESS, TERMS_CHANGED } from "../../contract/problem-types";
import { RATE_LIMIT_KEY_HEADER, SHOWN_TERMS_HEADER } from "../../contract/site-headers";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import { subscriptionResponse, subscriptionStatus } from "../../contract/subscription-response";
import type { SomeTerms } from "../../contract/terms";
import { termsFields, termsIn } from "../../contract/terms-schema";
import type { Log } from "../../pipeline/log.server";
import type { ServiceBinding } from "../../pipeline/settings/configuration.server";
import { readBoundedText } from "../../shared/http/bounded-body";
import { type FailedCall, failedBody, failedCall, isBotCheck } from "../../shared/http/failed-call";
import { parseJson } from "../../shared/http/parse-json";
import type { CreateOutcome } from "../create-outcome";
import type { TrialAnswer } from "../session-state";
import { sleep } from "../timers";

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_PROBLEM_BYTES = 4 * 1024;
const PROBLEM_DEADLINE_MS = 1_000;
/** The form waits for this answer, and can do without it. */
const PACKAGE_DEADLINE_MS = 2_000;
/** The statuses of an API that does not have what it is asked for. */
const NONE = { GET: [404], DELETE: [404, 405, 501] };
const RETRY_DELAYS_MS = [100, 300];

/** `POST {api base}/subscription` (docs/subscription-api.md) and the optional `status_url` of its response. */
export interface SubscriptionApi {
  /** Returns expected failures as values and logs nothing. Only this repository's API gets the `rateLimitKey`. */
  create(
    request: SubscriptionRequest,
    about: { idempotencyKey: string; requestId: string; rateLimitKey: string; shown: SomeTerms },
  ): Promise<CreateOutcome>;
  /** `unknown` after a 404. Logs why there is no status. */
  status(statusUrl: string, by: Asker & { signal: AbortSignal }): Promise<TrialAnswer>;
  /** Ends a sign-up that has no card, and says its status. `unknown` also from an API that has no such way. */
  end(statusUrl: string, by: Asker & { signal: AbortSignal }): Promise<TrialAnswer>;
  /** Undefined without an answer, which it logs, or after a 404, as from an API that has no such route. */
  package(packageId: string, by: Asker): Promise<PackageResponse | undefined>;
}

type Asker = { requestId: string; log: Log };

export interface SubscriptionApiOptions {
  baseUrl: string;
  /** The deadline for headers, body and retries together. */
  timeoutMs: number;
  /** True if the API honors the idempotency key; failed calls are then retried. */
  idempotent: boolean;
  binding?: ServiceBinding | undefined;
}

type Send = (signal: AbortSignal) => Promise<CreateOutcome>;

export function subscriptionApi(options: SubscriptionApiOptions): SubscriptionApi {
  const { baseUrl, timeoutMs, idempotent, binding } = options;
  return {
    create(request, { idempotencyKey, requestId, rateLimitKey, shown }) {
      const send: Send = async (signal) => {
        const outcome = await postSubscription(binding, `${baseUrl}/subscription`, {
          method: "POST",
          headers: {
            Accept: "application/json",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotencyKey,
            "X-Request-Id": requestId,
            ...(binding && { [RATE_LIMIT_KEY_HEADER]: rateLimitKey }),
            [SHOWN_TERMS_HEADER]: JSON.stringify(shown),
          },
          body: JSON.stringify(request),
          // Following a redirect could send the password to another host.
          redirect: "manual",
          signal,
        });
        return outcome.kind === "created" ? { ...outcome, statusUrl: ownUrl(outcome.statusUrl, baseUrl) } : outcome;
      };
      return idempotent ? sendWithRetries(send, timeoutMs) : send(AbortSignal.timeout(timeoutMs));
    },

    status: (statusUrl, by) => askStatus("GET", statusUrl, by),
    end: (statusUrl, by) => askStatus("DELETE", statusUrl, by),

    async package(packageId, by) {
      const url = `${baseUrl}/subscription/packages/${encodeURIComponent(packageId)}`;
      const signal = AbortSignal.timeout(Math.min(timeoutMs, PACKAGE_DEADLINE_MS));
      const answer = await ask("GET", url, packageResponse, { ...by, signal, event: "package_check_failed" });
      return answer === 404 ? undefined : answer;
    },
  };

  async function askStatus(
    method: "GET" | "DELETE",
    url: string,
    by: Asker & { signal: AbortSignal },
  ): Promise<TrialAnswer> {
    const answer = await ask(method, url, subscriptionStatus, { ...by, event: "status_check_failed" });
    return answer === 404 ? { status: "unknown" } : (answer ?? { status: "unreachable" });
  }

  /** The JSON of a 2xx, or 404. Without an answer, logs an `event` with its cause and returns undefined. */
  async function ask<Schema extends z.ZodMiniType>(
    method: "GET" | "DELETE",
    url: string,
    schema: Schema,
    { requestId, log, signal, event }: Asker & { signal: AbortSignal; event: string },
  ): Promise<z.output<Schema> | 404 | undefined> {
    const failed = (call: FailedCall) => log.warn(event, call);
    try {
      const headers = { Accept: "application/json", "X-Request-Id": requestId };
      const response = await fetchFrom(binding, url, { method, headers, redirect: "manual", signal });
      if (!response.ok) {
        await response.body?.cancel();
        if (isBotCheck(response)) return void failed({ cause: "bot check", status: response.status });
        if (NONE[method].includes(response.status)) return 404;
        return void failed({ cause: "status", status: response.status });
      }
      const body = await readBoundedText(response, { bytes: MAX_RESPONSE_BYTES });
      if (body.status !== "read") return void failed(failedBody(body.status, signal));
      return schema.parse(JSON.parse(body.text));
    } catch (error) {
      return void failed(failedCall(error));
    }
  }
}

function fetchFrom(binding: ServiceBinding | undefined, url: string, init: RequestInit): Promise<Response> {
  return binding ? binding.fetch(url, init) : fetch(url, init);
}

/** Undefined for a URL of another origin, which must not learn about a sign-up. */
function ownUrl(url: string | undefined, baseUrl: string): string | undefined {
  return url !== undefined && new URL(url).origin === new URL(baseUrl).origin ? url : undefined;
}

/** Makes up to three calls within one deadline. Waits for the API's Retry-After or a growing delay between them. */
async function sendWithRetries(send: Send, timeoutMs: number): Promise<CreateOutcome> {
  const deadline = Date.now() + timeoutMs;
  const signal = AbortSignal.timeout(timeoutMs);
  let outcome = await send(signal);
  for (const ownDelay of RETRY_DELAYS_MS) {
    const retryAfter = outcome.kind === "rejected" ? outcome.retryAfter : undefined;
    const delay = retryAfter === undefined ? ownDelay : retryAfter * 1000;
    if (!isTransient(outcome) || Date.now() + delay >= deadline) return outcome;
    await sleep(delay);
    outcome = await send(signal);
  }
  return outcome;
}

/** After a timeout, there is no time left for another call. */
function isTransient(outcome: CreateOutcome): boolean {
  if (outcome.kind === "unreachable") return outcome.cause !== "deadline";
  return outcome.kind === "rejected" && [502, 503, 504].includes(outcome.status);
}

async function postSubscription(
  binding: ServiceBinding | undefined,
  url: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<CreateOutcome> {
  try {
    const response = await fetchFrom(binding, url, init);
    if (!response.ok) {
      const { type, errors = {}, ...said } = [400, 409, 422].includes(response.status) ? await problemIn(response) : {};
      if (!response.bodyUsed) await response.body?.cancel();
      if (isBotCheck(response)) return { kind: "bot check" };
      if (type === TERMS_CHANGED) return { kind: "terms changed", terms: termsIn(said) };
      const refusesPlan = type === PLAN_RETIRED ? "retired" : "unknown";
      return {
        kind: "rejected",
        status: type === REQUEST_IN_PROGRESS ? 503 : response.status,
        retryAfter: secondsIn(response.headers.get("Retry-After")),
        ...(isNamed(errors.package_id) && { refusesPlan }),
        ...(isNamed(errors.email) && { refusesEmail: true as const }),
      };
    }
    const body = await readBoundedText(response, { bytes: MAX_RESPONSE_BYTES });
    if ("text" in body) return parseResponse(body.text);
    return { kind: "unreachable", cause: failedBody(body.status, init.signal).cause };
  } catch (error) {
    return { kind: "unreachable", cause: failedCall(error).cause };
  }
}

/** Undefined for a Retry-After with a date. */
function secondsIn(retryAfter: string | null): number | undefined {
  return /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
}

const problem = z.object({
  ...termsFields,
  type: z.optional(z.string()),
  errors: z.catch(z.optional(z.record(z.string(), z.unknown())), undefined),
});

/** False for a field that an API lists without a message. */
const isNamed = (messages: unknown) => Boolean(messages) && !(Array.isArray(messages) && messages.length === 0);

/** The problem in a response, in the form of RFC 9457 or another one with `errors`; empty if there is none. */
async function problemIn(response: Response): Promise<z.output<typeof problem>> {
  try {
    const body = await readBoundedText(response, { bytes: MAX_PROBLEM_BYTES, milliseconds: PROBLEM_DEADLINE_MS });
    return body.status === "read" ? (problem.safeParse(JSON.parse(body.text)).data ?? {}) : {};
  } catch {
    return {};
  }
}

function parseResponse(text: string): CreateOutcome {
  const json = parseJson(text);
  // The rest of an object was lost on the way or is too long, and its client_secret with it.
  if (json === undefined && text.trimStart().startsWith("{")) return { kind: "unintelligible" };
  const parsed = subscriptionResponse.safeParse(json);
  if (!parsed.success) return { kind: "misconfigured" };
  const { client_secret: clientSecret, status_url: statusUrl, expires_at: end } = parsed.data;
  return { kind: "created", clientSecret, terms: termsIn(parsed.data), statusUrl, expiresAt: futureTime(end) };
}

/** In milliseconds since 1970. Undefined for a time that is not in the future, which an API with a wrong clock sends. */
function futureTime(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? "");
  return milliseconds > Date.now() ? milliseconds : undefined;
}
