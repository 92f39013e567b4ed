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

/** `in-progress`: another request uses the idempotency key, also one of another release, or a card is being processed. */
type FailureReason = "unavailable" | "in-progress" | "unexpected-answer" | "email-refused";

export class PaymentsError extends Error {
  override readonly name = "PaymentsError";
  /** @param needsNewKey true if Stripe carried out the attempt's creation and refused it */
  constructor(
    readonly reason: FailureReason,
    cause?: unknown,
    readonly needsNewKey = false,
  ) {
    super(`Payments: ${reason}`, { cause });
  }
}

const clients = new WeakMap<StripeConfig, Stripe>();

/** Cached, because creating a client costs more than a request; not with `fetcher`, which replaces `fetch`. */
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

/** Returns Stripe's answer. Logs a failure and throws PaymentsError. @param isCreation with an attempt's idempotency key */
export async function call<T>(request: () => Promise<T>, isCreation = false): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof PaymentsError) throw error;
    logStripeFailure(error);
    throw new PaymentsError(reasonOf(error), error, isCreation && isRefusedForGood(error));
  }
}

/**
 * Creates an object, unless `find` finds an earlier attempt's. Two requests have the same key, so Stripe creates one object. It
 * refuses the key with other parameters, as of another release: then the other request's object counts, once it is found.
 *
 * | Object | Key | Also found by |
 * | --- | --- | --- |
 * | customer | `customer-{sign-up}-{attempt}` | list by email, `sign_up_id` |
 * | setup intent | `setup-intent-{used cards}-{sign-up}-{attempt}`, without a number for the first card | list of the customer's, `sign_up_id` and `used_cards` |
 * | subscription | `subscription-{sign-up}-{attempt}` | list of the customer's, always read first, `sign_up_id` |
 * | product | `product-{package}-{attempt}` (prices.ts) | its price |
 * | price | `price-{package}-{cents}-{price that it replaces}-{attempt}` (prices.ts) | list by lookup key, always read first |
 *
 * Everything else (cancel, detach, the default card, a product's name) says how an object shall be, and may be repeated under any key.
 */
export async function findOrCreate<T>(
  attempt: Attempt,
  find: () => Promise<T | undefined>,
  make: (options: { idempotencyKey: string }) => Promise<T>,
  object: string,
): Promise<T> {
  const known = mayExist(attempt) ? await find() : undefined;
  if (known !== undefined) return known;
  try {
    // A new key for each attempt, because Stripe repeats a refusal for the same key: https://docs.stripe.com/api/idempotent_requests
    const idempotencyKey = `${object}-${attempt.id}-${attempt.stripe_attempt}`;
    return await call(() => make({ idempotencyKey }), true);
  } catch (error) {
    const hasOtherParameters =
      error instanceof PaymentsError && error.cause instanceof Stripe.errors.StripeIdempotencyError;
    const made = hasOtherParameters ? await find() : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

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
    const { cause } = error instanceof PaymentsError ? error : {};
    if (cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === "resource_missing") return undefined;
    throw error;
  }
}

/** True if Stripe refused because a customer or card was deleted there. False for a missing price, which the operator has to fix. */
export function isCustomerOrCardMissing(error: PaymentsError): boolean {
  const { cause } = error;
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return false;
  return cause.code === "resource_missing" && !cause.param?.startsWith("items");
}

/** The sign-up's metadata, equal for each try, because Stripe accepts an idempotency key only with the same parameters. */
export function originOf({ id, request_id }: { id: string; request_id: string | null }): Record<string, string> {
  return { sign_up_id: id, ...(request_id !== null && { request_id }) };
}

/** @param seconds since 1970, as in Stripe's objects */
export function dateOf(seconds: number | null | undefined): Date | null {
  return seconds == null ? null : new Date(seconds * 1000);
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/** True if Stripe may have the object although its idempotency key no longer returns it. */
export function mayExist({ stripe_attempt, created_at }: Attempt): boolean {
  return stripe_attempt > 0 || Date.now() - Date.parse(created_at) > KEY_LIFETIME_MS;
}

/**
 * True if Stripe carried out the creation and refused it. After any other failure it may still succeed, and a new key would do
 * it twice: https://docs.stripe.com/error-low-level#idempotency. A refused email address needs none: its sign-up is deleted.
 */
function isRefusedForGood(error: unknown): boolean {
  const { StripeCardError, StripeError, StripeInvalidRequestError } = Stripe.errors;
  if (!(error instanceof StripeError) || error.code === "email_invalid") return false;
  return isSavedRefusal(error) || error instanceof StripeInvalidRequestError || error instanceof StripeCardError;
}

/** True if Stripe repeated its refusal under the same idempotency key. */
export function isSavedRefusal(error: unknown): boolean {
  const refused = error instanceof PaymentsError ? error.cause : error;
  return refused instanceof Stripe.errors.StripeError && refused.headers?.["idempotent-replayed"] === "true";
}

function reasonOf(error: unknown): PaymentsError["reason"] {
  const { errors } = Stripe;
  if (!(error instanceof errors.StripeError)) return "unavailable";
  if (error.statusCode === 409 || error instanceof errors.StripeIdempotencyError) return "in-progress";
  if (error.code === "email_invalid") return "email-refused";
  if (error instanceof errors.StripeInvalidRequestError) return "unexpected-answer";
  // Stripe's client throws this for an answer that is not JSON.
  if (error instanceof errors.StripeAPIError && error.statusCode === undefined) return "unexpected-answer";
  return "unavailable";
}
