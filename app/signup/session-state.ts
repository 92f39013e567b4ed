import * as z from "zod/mini";
import { priceCentsIn, type SubscriptionStatus } from "../contract/subscription-response";

/* A browser's newest sign-up: the states that its cookie stores, and the function that moves from one state to the next. */

/** A form that the API has accepted. */
const acceptedForm = {
  /** Idempotency key of the form. */
  key: z.string(),
  /** The request ID of the accepted post. Stripe's objects have the first post's ID in their metadata. */
  requestId: z.optional(z.string()),
  /** Empty without a plan. */
  packageId: z.string(),
  /** The monthly price that the visitor agreed to, in US cents: the API's, or else the form's. Missing without a known price. */
  agreedPriceCents: z.optional(z.number()),
  /** The form's fields without the passwords. Missing if a link or a return from the bank was opened without the cookie. */
  details: z.optional(z.record(z.string(), z.string())),
  /** When the sign-up ends if there is no card, in milliseconds since 1970. */
  expiresAt: z.number(),
};

const unfinished = {
  ...acceptedForm,
  /** The setup intent's client secret from Stripe. */
  clientSecret: z.string(),
  /** The URL that says if the trial has started. Missing if the API offers none. */
  statusUrl: z.optional(z.string()),
};

const setCard = z.object({ brand: z.string(), last4: z.string() });

/** A `flash` is shown on one page, then forgotten. */
export const signupSession = z.discriminatedUnion("state", [
  /** It needs a card. */
  z.object({
    ...unfinished,
    state: z.literal("card"),
    flash: z.optional(z.enum(["saved", "declined", "card used", "unknown"])),
    /** Stripe's message about a declined card. */
    message: z.optional(z.string()),
  }),
  /** A card was entered, but its outcome is not known yet. */
  z.object({ ...unfinished, state: z.literal("waiting"), reason: z.enum(["processing", "unreachable"]) }),
  /** It cannot get a card anymore. `too old` means that its outcome can no longer be found out. */
  z.object({ ...acceptedForm, state: z.literal("ended"), why: z.enum(["expired", "canceled", "too old"]) }),
  /** Its trial has started. */
  z.object({
    ...acceptedForm,
    state: z.literal("done"),
    /** When the success was seen, ISO 8601. */
    startedAt: z.string(),
    /** The trial's end from the API, ISO 8601. */
    trialEnd: z.optional(z.string()),
    card: z.optional(setCard),
    flash: z.optional(z.literal("saved")),
  }),
]);

export const unfinishedSession = z.object(unfinished);

export type SignupSession = z.output<typeof signupSession>;
export type UnfinishedSession = z.output<typeof unfinishedSession>;
export type SessionIn<State extends SignupSession["state"]> = Extract<SignupSession, { state: State }>;
export type SetCard = z.output<typeof setCard>;

/** `unreadable`: the cookie was changed, sealed with an unknown secret, has a format that this release cannot read, or is too old. */
export type CurrentSession = SignupSession | { state: "none" } | { state: "unreadable" };

/** What Stripe says about a setup intent. */
export type SetupIntentAnswer =
  | { status: "succeeded"; card?: SetCard | undefined }
  /** It needs a card. `message` is Stripe's message about the last attempt. */
  | { status: "open"; message?: string | undefined }
  /** `unknown`: Stripe has no setup intent with this secret. */
  | { status: "processing" | "canceled" | "unknown" | "unreachable" };

/** What the API says about a sign-up. `unknown`: a 404, for example because the URL has expired. */
export type TrialAnswer = SubscriptionStatus | { status: "unreachable" | "unknown" };

/**
 * The next state of a sign-up whose card may have been entered. Only a started trial is a success:
 *
 * | Stripe                  | API                                | in time                  | past its time     |
 * | ----------------------- | ---------------------------------- | ------------------------ | ----------------- |
 * | processing, unreachable |                                    | waiting                  | waiting           |
 * | open                    |                                    | card, "declined"         | ended, "expired"  |
 * | unknown                 |                                    | card, "unknown"          | ended, "too old"  |
 * | canceled                |                                    | ended, "canceled"        | ended, "canceled" |
 * | succeeded               | trial, or an API without a status  | done                     | done              |
 * | succeeded               | card_used, with another secret     | card, "card used"        | card, "card used" |
 * | succeeded               | ended                              | ended, "canceled"        | ended, "canceled" |
 * | succeeded               | unknown                            | waiting                  | ended, "too old"  |
 * | succeeded               | anything else                      | waiting                  | waiting           |
 *
 * The API's price replaces the session's.
 *
 * @param trial undefined if the API offers no status
 * @param now milliseconds since 1970
 */
export function nextState(
  session: UnfinishedSession,
  setupIntent: SetupIntentAnswer,
  trial: TrialAnswer | undefined,
  now: number,
): SignupSession {
  const { key, requestId, packageId, details, expiresAt, clientSecret, statusUrl } = session;
  const agreedPriceCents = priceCentsIn(trial ?? {}) ?? session.agreedPriceCents;
  const form = { key, requestId, packageId, agreedPriceCents, details, expiresAt };
  const unfinished = { ...form, clientSecret, statusUrl };
  const isPast = isPastItsTime(session, now);
  switch (setupIntent.status) {
    case "processing":
    case "unreachable":
      return { ...unfinished, state: "waiting", reason: setupIntent.status };
    case "open":
      if (isPast) return { ...form, state: "ended", why: "expired" };
      return { ...unfinished, state: "card", flash: "declined", message: setupIntent.message };
    case "unknown":
      if (isPast) return { ...form, state: "ended", why: "too old" };
      return { ...unfinished, state: "card", flash: "unknown" };
    case "canceled":
      return { ...form, state: "ended", why: "canceled" };
  }
  switch (trial?.status) {
    case undefined:
    case "trial": {
      const startedAt = new Date(now).toISOString();
      return { ...form, state: "done", startedAt, trialEnd: trial?.trial_end, card: setupIntent.card, flash: "saved" };
    }
    case "card_used":
      if (trial.client_secret === clientSecret) return { ...unfinished, state: "waiting", reason: "unreachable" };
      return { ...unfinished, clientSecret: trial.client_secret, state: "card", flash: "card used" };
    case "ended":
      return { ...form, state: "ended", why: "canceled" };
    case "unknown":
      if (isPast) return { ...form, state: "ended", why: "too old" };
      return { ...unfinished, state: "waiting", reason: "unreachable" };
    case "pending":
    case "unreachable":
      return { ...unfinished, state: "waiting", reason: "unreachable" };
  }
}

export function isPastItsTime({ expiresAt }: Pick<SignupSession, "expiresAt">, now: number): boolean {
  return expiresAt <= now;
}

/** True for the sign-up that an idempotency key belongs to. */
export function isSessionOf(current: CurrentSession, key: string | undefined): current is SignupSession {
  return isSession(current) && current.key === key;
}

export function isSession(current: CurrentSession): current is SignupSession {
  return current.state !== "none" && current.state !== "unreadable";
}

/** True for a sign-up that may still get a card. */
export function isUnfinished(current: CurrentSession): current is SessionIn<"card" | "waiting"> {
  return current.state === "card" || current.state === "waiting";
}

/** True for a sign-up that another one must not replace unless the visitor agrees. */
export function isInProgress(current: CurrentSession, now: number): boolean {
  return current.state === "waiting" || (current.state === "card" && !isPastItsTime(current, now));
}
