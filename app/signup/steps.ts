import type { SubmissionResult } from "@conform-to/react";
import * as z from "zod/mini";
import type { Notice } from "./notices";

const account = z.object({
  companyName: z.string(),
  fullName: z.string(),
  email: z.string(),
  phone: z.string(),
  packageId: z.optional(z.string()),
});

const billingAddress = z.object({
  line1: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
});

/** Milliseconds since 1970. The card step ends at `expiresAt`, which a visitor can put off, but never past `endsAt`. */
const lifetime = { expiresAt: z.number(), endsAt: z.number() };

const setCard = z.object({ brand: z.string(), last4: z.string() });

/** A sign-up that the API has accepted and that needs a card. */
const pendingSignUp = {
  ...lifetime,
  /** Idempotency key of the form that led here: the same form sent again is the same sign-up. */
  key: z.string(),
  clientSecret: z.string(),
  /** Of the post that the API accepted; Stripe's objects have it in their metadata. */
  requestId: z.optional(z.string()),
  /** Where the API tells whether the trial has begun; missing for an API that has none. */
  statusUrl: z.optional(z.string()),
  /** Missing after a return from the bank without the cookie. */
  account: z.optional(account),
  address: z.optional(billingAddress),
  /** Taken over by a resume link. */
  resumed: z.optional(z.literal(true)),
};

/** Another sign-up of the same browser, begun before this one. */
const other = z.optional(z.object(pendingSignUp));

export const signupSession = z.discriminatedUnion("step", [
  z.object({
    step: z.literal("card"),
    ...pendingSignUp,
    other,
    /** Back at the form; what it leads to replaces this sign-up. */
    editing: z.optional(z.literal(true)),
    /** Back at an empty form; this sign-up is offered beside it. Only together with `editing`. */
    aside: z.optional(z.literal(true)),
    /** Canceled, or unknown to Stripe. Only together with `editing`. */
    ended: z.optional(z.literal(true)),
    /** Set for one page load, after the visitor has kept the sign-up longer. */
    kept: z.optional(z.literal(true)),
    /** Set for one page load, for the notice that something has just happened. */
    flash: z.optional(
      z.union([
        z.object({ saved: z.literal(true) }),
        z.object({ cardUsed: z.literal(true) }),
        z.object({ failed: z.string() }),
      ]),
    ),
    /** How often Stripe was asked about a set-up whose result is not known yet. */
    checks: z.optional(z.number()),
    waitsFor: z.optional(z.enum(["processing", "unreachable"])),
  }),
  z.object({
    step: z.literal("done"),
    ...lifetime,
    key: z.string(),
    setupIntentId: z.string(),
    requestId: z.optional(z.string()),
    /** When the trial began, as ISO 8601. */
    startedAt: z.string(),
    account: z.optional(account),
    other,
    card: z.optional(setCard),
    flash: z.optional(z.object({ saved: z.literal(true) })),
  }),
]);

export type SignupSession = z.output<typeof signupSession>;
export type CardSession = Extract<SignupSession, { step: "card" }>;
export type DoneSession = Extract<SignupSession, { step: "done" }>;
export type OtherSignUp = NonNullable<SignupSession["other"]>;

export type Account = z.output<typeof account>;

/** Names a sign-up of this browser: `key` is what a post sends to say which one it is about. */
export interface SignUpName {
  key: string;
  company?: string | undefined;
}

export interface FormStepData {
  step: "form";
  packageId: string;
  formNonce: string;
  failed: boolean;
  /** What was typed before, without the passwords. */
  draft?: Record<string, string>;
  /** This browser's sign-up for another plan. */
  waiting?: { packageId: string };
  /** The sign-up that this form was made from, and replaces. */
  madeFrom?: SignUpName | undefined;
  /** Why the visitor is not at a later step any more. */
  ended?: Notice | undefined;
}

export interface ResumeLink {
  url: string;
  /** Too long for a code that phones can read: undefined. */
  qrCodePath?: string | undefined;
}

export type CardStepData = Omit<CardSession, "other"> & {
  /** The sign-up's, or the URL's where the sign-up does not tell. */
  packageId: string;
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Where Stripe returns to after a redirect. */
  returnUrl: string;
  /** Which sign-up it is, for the post that its card is set up. */
  returnToken: string;
  /** When a trial that begins now ends, as ISO 8601. */
  trialEnd: string;
  /** Not for a sign-up that was resumed itself. */
  resumeLink?: ResumeLink | undefined;
  /** Until `expiresAt`. */
  secondsLeft: number;
  /** ISO 3166-1 alpha-2, for a country that was recognized. */
  countryCode?: string | undefined;
};

/** Stripe cannot say yet whether the card is set up; the page asks again after `refreshSeconds`. */
export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

/** What a resume link leads to, before anything is taken over. */
export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. */
  state: "ready" | "busy" | "ended";
  packageId: string;
  /** Whose sign-up it is. */
  company?: string | undefined;
  /** Without most of its local part. */
  email?: string | undefined;
}

export type DoneStepData = Pick<DoneSession, "step" | "account" | "card" | "startedAt" | "requestId" | "flash">;

export type SignupStep = (FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData) & {
  /** Another sign-up of this browser. */
  other?: SignUpName | undefined;
};

export type LaterStepData = Exclude<SignupStep, { step: "form" }>;

export interface SignupReply {
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  formNonce?: string;
  /** Of the post that the API did not take. */
  requestId?: string;
  /** The form looks like a program's: what the button sends to confirm it, and Turnstile's key where there is one. */
  challenge?: { token: string; siteKey?: string | undefined };
}
