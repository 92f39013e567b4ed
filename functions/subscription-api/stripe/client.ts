import Stripe from "stripe";
import { type FailedCall, failedCall } from "../../../app/shared/http/failed-call";
import type { StripeConfig } from "../config";
import { log } from "../log";

/** The API version that the types of the `stripe` package describe. */
const API_VERSION = "2026-10-28.endive";

/** A safe lifetime: Stripe forgets an idempotency key after 24 hours. */
const KEY_LIFETIME_MS = 23 * 60 * 60_000;

/** The timeout of one try; a call has two. The site gives up after ten seconds; its retry uses the same idempotency keys. */
const TIMEOUT_MS = 5_000;

export type Attempt = { id: string; request_id: string | null; stripe_attempt: number; created_at: string };

/** `in-progress`: another request uses the idempotency key, or a card is being processed. */
type FailureReason = "unavailable" | "in-progress" | "unexpected-answer" | "email-refused";

export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  /** @param needsNewKey true if a creation failed and Stripe repeats the failure for its idempotency key */
  constructor(
    readonly reason: FailureReason,
    cause?: unknown,
    readonly needsNewKey = false,
  ) {
    super(`Payments: ${reason}`, { cause });
  }
}

const clients = new WeakMap<StripeConfig, Stripe>();

/**
 * The client for these settings. Cached, because creating a client costs more than a request.
 * @param fetcher replaces `fetch`; the client is then not cached
 */
export function stripeClient(config: StripeConfig, fetcher?: typeof fetch): Stripe {
  if (fetcher) return newClient(config, fetcher);
  const client = clients.get(config) ?? newClient(config, (...given) => fetch(...given));
  clients.set(config, client);
  return client;
}

function newClient({ secretKey, apiUrl }: StripeConfig, fetcher: typeof fetch): Stripe {
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    // Following a redirect would send personal data to another host.
    httpClient: Stripe.createFetchHttpClient((url: RequestInfo | URL, init?: RequestInit) =>
      fetcher(url, { ...init, redirect: "manual" }),
    ),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(apiUrl && {
      protocol: apiUrl.protocol === "http:" ? "http" : "https",
      host: apiUrl.hostname,
      port: apiUrl.port || (apiUrl.protocol === "http:" ? 80 : 443),
    }),
  });
}

/** Returns Stripe's answer. Logs a failure and throws PaymentsError. */
export function call<T>(request: () => Promise<T>): Promise<T> {
  return answerOf(request, false);
}

/** Like `call`, for a creation with an idempotency key. Only its failure leads to a new key. */
export function create<T>(request: () => Promise<T>): Promise<T> {
  return answerOf(request, true);
}

async function answerOf<T>(request: () => Promise<T>, isCreation: boolean): Promise<T> {
  try {
    return await request();
  } catch (error) {
    logStripeFailure(error);
    throw new PaymentsError(reasonOf(error), error, isCreation && isRepeated(error));
  }
}

/** The error for an answer with a missing or unknown field. */
export function unexpectedAnswer(field: string): PaymentsError {
  log("error", "stripe_answer_unexpected", { fields: [field] });
  return new PaymentsError("unexpected-answer");
}

/** Logs a failure without Stripe's message, which quotes email addresses and IDs: https://docs.stripe.com/api/errors */
function logStripeFailure(error: unknown): void {
  const call = failedCallOf(error);
  if (!(error instanceof Stripe.errors.StripeError)) {
    log("error", "stripe_failed", { ...call, type: error instanceof Error ? error.name : typeof error });
    return;
  }
  log(error.statusCode === 401 || error.statusCode === 403 ? "error" : "warn", "stripe_failed", {
    ...call,
    type: asName(error.rawType ?? error.type),
    code: asName(error.code),
    decline_code: asName(error.decline_code),
    param: asName(error.param),
    stripe_request_id: asName(error.requestId),
  });
}

/** Stripe's client keeps the error that `fetch` threw, or one of its own with a code after its timeout. */
function failedCallOf(error: unknown): FailedCall {
  if (!(error instanceof Stripe.errors.StripeError)) return failedCall(error);
  if (error.statusCode !== undefined) return { cause: "status", status: error.statusCode };
  if (!(error instanceof Stripe.errors.StripeConnectionError)) return { cause: "answer" };
  const { detail } = error;
  const isTimeout = detail instanceof Error && "code" in detail && detail.code === "ETIMEDOUT";
  return isTimeout ? { cause: "deadline" } : failedCall(detail);
}

/** The text, if it is one of Stripe's names or IDs and not something that a person typed. */
function asName(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.[\]-]{1,100}$/.test(text) ? text : undefined;
}

export async function ifExists<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (refusalOf(error) === "resource_missing") return undefined;
    throw error;
  }
}

/** True if Stripe refused because a customer or card was deleted there. False for a missing price, which the operator has to fix. */
export function isCustomerOrCardMissing(error: PaymentsError): boolean {
  const { cause } = error;
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return false;
  return cause.code === "resource_missing" && !cause.param?.startsWith("items");
}

export function refusalOf(error: unknown): string | undefined {
  const { cause } = error instanceof PaymentsError ? error : {};
  return cause instanceof Stripe.errors.StripeInvalidRequestError ? cause.code : undefined;
}

/** The sign-up's metadata, equal for each try, because Stripe accepts an idempotency key only with the same parameters. */
export function originOf({ id, request_id }: { id: string; request_id: string | null }): Record<string, string> {
  return { sign_up_id: id, ...(request_id !== null && { request_id }) };
}

/** Whether an object at Stripe was created for this sign-up. */
export function belongsTo(signUpId: string) {
  return ({ metadata }: { metadata: Stripe.Metadata }) => metadata.sign_up_id === signUpId;
}

/** @param seconds since 1970, as in Stripe's objects */
export function dateOf(seconds: number | null | undefined): Date | null {
  return seconds == null ? null : new Date(seconds * 1000);
}

/** Stripe's times are seconds since 1970. */
export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/** A new key for each attempt, because Stripe repeats a failure for the same key: https://docs.stripe.com/api/idempotent_requests */
export function idempotencyKey(object: string, { id, stripe_attempt }: Attempt): string {
  return `${object}-${id}-${stripe_attempt}`;
}

/** True if Stripe may have the object although its idempotency key no longer returns it. */
export function mayExist({ stripe_attempt, created_at }: Attempt): boolean {
  return stripe_attempt > 0 || Date.now() - Date.parse(created_at) > KEY_LIFETIME_MS;
}

/**
 * True if Stripe may give the same answer for the same key for 24 hours. After a 409 or a 429 another request with the key may be
 * in progress, and after a lost answer, which has no status, its work may be done: a new key would do it twice. A refused email
 * address needs no key, because its sign-up is deleted. https://docs.stripe.com/error-low-level#content-errors
 */
function isRepeated(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError) || error.code === "email_invalid") return false;
  return error.statusCode !== undefined && error.statusCode !== 409 && error.statusCode !== 429;
}

function reasonOf(error: unknown): PaymentsError["reason"] {
  const { errors } = Stripe;
  if (!(error instanceof errors.StripeError)) return "unavailable";
  if (error.statusCode === 409) return "in-progress";
  if (error.code === "email_invalid") return "email-refused";
  if (error instanceof errors.StripeInvalidRequestError) return "unexpected-answer";
  // Stripe's client throws this for an answer that is not JSON.
  if (error instanceof errors.StripeAPIError && error.statusCode === undefined) return "unexpected-answer";
  return "unavailable";
}
