import * as z from "zod/mini";
import type { SubscriptionStatus } from "../contract/subscription-response";
import { withSaid } from "../contract/terms";
import { terms, termsIn } from "../contract/terms-schema";

const acceptedForm = {
  key: z.string(),
  /** The request ID of the accepted post. Stripe's objects have the first post's ID in their metadata. */
  requestId: z.optional(z.string()),
  /** Empty without a plan. */
  packageId: z.string(),
  /** What the visitor agreed to: the API's answer, or else the form. */
  terms,
  /** The form's fields without the passwords. Missing if a link or a return from the bank was opened without the cookie. */
  details: z.optional(z.record(z.string(), z.string())),
  /** When the sign-up ends if there is no card, in milliseconds since 1970. */
  expiresAt: z.number(),
  /** The sign-up in whose place it came at an API that cannot end one. `hasCard`: its card was set up all the same. */
  replaced: z.optional(
    z.object({
      clientSecret: z.string(),
      packageId: z.string(),
      company: z.optional(z.string()),
      hasCard: z.optional(z.literal(true)),
    }),
  ),
};

const unfinished = {
  ...acceptedForm,
  clientSecret: z.string(),
  /** The URL that says if the trial has started. Missing if the API offers none. */
  statusUrl: z.optional(z.string()),
};

const setCard = z.object({ brand: z.string(), last4: z.string() });

/** A `flash` is shown on one page, then forgotten. */
export const signupSession = z.discriminatedUnion("state", [
  z.object({
    ...unfinished,
    state: z.literal("card"),
    flash: z.optional(z.enum(["saved", "declined", "card used", "unknown"])),
    message: z.optional(z.string()),
  }),
  /** A card was entered, but its outcome is not known yet. */
  z.object({ ...unfinished, state: z.literal("waiting"), reason: z.enum(["processing", "unreachable"]) }),
  /** It cannot get a card anymore. `too old` means that its outcome can no longer be found out. */
  z.object({ ...acceptedForm, state: z.literal("ended"), why: z.enum(["expired", "canceled", "too old"]) }),
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

export type SetupIntentAnswer =
  | { status: "succeeded"; card?: SetCard | undefined }
  /** It needs a card. `message` is Stripe's message about the last attempt. */
  | { status: "open"; message?: string | undefined }
  /** `unknown`: Stripe has no setup intent with this secret. */
  | { status: "processing" | "canceled" | "unknown" | "unreachable" };

/** What the API says about a sign-up. `unknown`: a 404, for example because the URL has expired. */
export type TrialAnswer = SubscriptionStatus | { status: "unreachable" | "unknown" };

/**
 * The next state of a sign-up, in state `waiting` if a card was sent from this page. Only a started trial is a success:
 *
 * | Stripe      | API                               | in time, waiting | in time, card | past its time     |
 * | ----------- | --------------------------------- | ---------------- | ------------- | ----------------- |
 * | processing  |                                   | waiting          | waiting       | waiting           |
 * | unreachable |                                   | waiting          | as it was     | waiting           |
 * | open        | anything but the last four rows   | card, "declined" | as it was     | ended, "expired"  |
 * | open        | unreachable, and no known price   | waiting          | as it was     | ended, "expired"  |
 * | unknown     |                                   | card, "unknown"  | the same      | ended, "too old"  |
 * | canceled    |                                   | ended, "canceled" | the same     | the same          |
 * | succeeded   | unknown                           | waiting          | waiting       | ended, "too old"  |
 * | succeeded   | anything else                     | waiting          | waiting       | waiting           |
 * | succeeded   | no status offered                 | done             | done          | done              |
 * | both        | trial                             | done             | done          | done              |
 * | both        | card_used, with another secret    | card, "card used" | the same     | the same          |
 * | both        | ended                             | ended, "canceled" | the same     | the same          |
 *
 * The API's terms replace the session's. Returns the same object if nothing has changed. `now` is in ms since 1970.
 * Without a `trial`, the API was not asked or offers no status.
 */
export function nextState(
  session: SessionIn<"card" | "waiting">,
  setupIntent: SetupIntentAnswer,
  trial: TrialAnswer | undefined,
  now: number,
): SignupSession {
  const { key, requestId, packageId, details, expiresAt, replaced, clientSecret, statusUrl } = session;
  const terms = withSaid(session.terms, termsIn(trial ?? {}));
  const form = { key, requestId, packageId, terms, details, expiresAt, replaced };
  const unfinished = { ...form, clientSecret, statusUrl };
  const isPast = isPastItsTime(session, now);
  const waiting = (reason: "processing" | "unreachable") => ({ ...unfinished, state: "waiting", reason }) as const;
  const asItWas = terms === session.terms ? session : { ...session, terms };
  if (trial?.status === "ended") return { ...form, state: "ended", why: "canceled" };
  if (trial?.status === "card_used" && trial.client_secret !== clientSecret)
    return { ...unfinished, clientSecret: trial.client_secret, state: "card", flash: "card used" };
  if (trial?.status === "trial" || (setupIntent.status === "succeeded" && trial === undefined)) {
    const [startedAt, trialEnd] = [new Date(now).toISOString(), trial?.trial_end];
    const card = setupIntent.status === "succeeded" ? setupIntent.card : undefined;
    return { ...form, state: "done", startedAt, trialEnd, card, flash: "saved" };
  }
  switch (setupIntent.status) {
    case "processing":
      return waiting("processing");
    case "unreachable":
      return isPast || session.state === "waiting" ? waiting("unreachable") : asItWas;
    case "open":
      if (isPast) return { ...form, state: "ended", why: "expired" };
      if (session.state === "card") return asItWas;
      if (trial?.status === "unreachable" && packageId !== "" && terms.price_cents === undefined)
        return waiting("unreachable");
      return { ...unfinished, state: "card", flash: "declined", message: setupIntent.message };
    case "unknown":
      if (isPast) return { ...form, state: "ended", why: "too old" };
      return { ...unfinished, state: "card", flash: "unknown" };
    case "canceled":
      return { ...form, state: "ended", why: "canceled" };
    case "succeeded":
      if (isPast && trial?.status === "unknown") return { ...form, state: "ended", why: "too old" };
      return waiting("unreachable");
  }
}

export function isPastItsTime({ expiresAt }: Pick<SignupSession, "expiresAt">, now: number): boolean {
  return expiresAt <= now;
}

export function isSessionOf(current: CurrentSession, key: string | undefined): current is SignupSession {
  return isSession(current) && current.key === key;
}

export function isSession(current: CurrentSession): current is SignupSession {
  return current.state !== "none" && current.state !== "unreadable";
}

export function isUnfinished(current: CurrentSession): current is SessionIn<"card" | "waiting"> {
  return current.state === "card" || current.state === "waiting";
}

/** The sign-up after its card was sent to Stripe, whose answer is not known yet. */
export function withSentCard(session: UnfinishedSession): SessionIn<"waiting"> {
  return { ...session, state: "waiting", reason: "unreachable" };
}
