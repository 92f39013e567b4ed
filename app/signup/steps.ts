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

/** Milliseconds since 1970. The card step ends at `expiresAt`, which a visitor can extend up to `endsAt`. */
const lifetime = { expiresAt: z.number(), endsAt: z.number() };

const setCard = z.object({ brand: z.string(), last4: z.string() });

/** A sign-up that the API has accepted and that needs a card. */
const pendingSignUp = {
  ...lifetime,
  /** Idempotency key of the form that started the sign-up. */
  key: z.string(),
  clientSecret: z.string(),
  /** Of the accepted post; also in the metadata of Stripe's objects. */
  requestId: z.optional(z.string()),
  /** Reports whether the trial has started; missing if the API offers none. */
  statusUrl: z.optional(z.string()),
  /** Missing after a return from the bank without the cookie. */
  account: z.optional(account),
  address: z.optional(billingAddress),
  /** The form's other fields, so that the form can be filled in again. */
  otherFields: z.optional(z.record(z.string(), z.string())),
  /** Continued through a resume link. */
  resumed: z.optional(z.literal(true)),
};

/** Another sign-up of the same browser, begun before this one. */
const other = z.optional(z.object(pendingSignUp));

export const signupSession = z.discriminatedUnion("step", [
  z.object({
    step: z.literal("card"),
    ...pendingSignUp,
    other,
    /** Back at the form, whose next post replaces this sign-up. */
    editing: z.optional(z.literal(true)),
    /** At an empty form, which offers this sign-up. Only with `editing`. */
    aside: z.optional(z.literal(true)),
    /** Canceled, or unknown to Stripe. Only with `editing`. */
    ended: z.optional(z.literal(true)),
    /** Set for one page load, after the visitor has extended the session. */
    kept: z.optional(z.literal(true)),
    /** Flash message, set for one page load. */
    flash: z.optional(
      z.union([
        z.object({ saved: z.literal(true) }),
        z.object({ cardUsed: z.literal(true) }),
        z.object({ failed: z.string() }),
      ]),
    ),
    /** How often Stripe was asked about a setup without a result. */
    checks: z.optional(z.number()),
    waitsFor: z.optional(z.enum(["processing", "unreachable"])),
  }),
  z.object({
    step: z.literal("done"),
    ...lifetime,
    key: z.string(),
    setupIntentId: z.string(),
    requestId: z.optional(z.string()),
    /** When the success was seen, as ISO 8601. */
    startedAt: z.string(),
    /** As the API has it, ISO 8601. */
    trialEnd: z.optional(z.string()),
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

/** A sign-up of this browser; posts refer to it by `key`. */
export interface SignUpName {
  key: string;
  company?: string | undefined;
}

export interface FormStepData {
  step: "form";
  packageId: string;
  formNonce: string;
  failed: boolean;
  /** Earlier values, without the passwords. */
  draft?: Record<string, string>;
  /** This browser's sign-up for another plan. */
  waiting?: { packageId: string };
  /** The sign-up that this form was opened from and replaces. */
  madeFrom?: SignUpName | undefined;
  /** Why a later step has ended. */
  ended?: Notice | undefined;
}

export interface ResumeLink {
  url: string;
  /** Undefined if the link is too long for a QR code. */
  qrCodePath?: string | undefined;
}

export type CardStepData = Omit<CardSession, "other"> & {
  /** The sign-up's package id, or else the URL's. */
  packageId: string;
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Where Stripe returns to after a redirect. */
  returnUrl: string;
  /** Identifies the sign-up in the post after the card setup. */
  returnToken: string;
  /** End of a trial that starts now, ISO 8601. */
  trialEnd: string;
  /** Missing for a resumed sign-up. */
  resumeLink?: ResumeLink | undefined;
  /** Until `expiresAt`. */
  secondsLeft: number;
  /** ISO 3166-1 alpha-2, if the country was recognized. */
  countryCode?: string | undefined;
};

/** The card's setup has no result yet; the page checks again after `refreshSeconds`. */
export interface WaitingStepData {
  step: "waiting";
  packageId: string;
  reason: "processing" | "unreachable";
  refreshSeconds: number;
}

/** The question that a resume link leads to. */
export interface ResumeStepData {
  step: "resume";
  /** `busy`: this browser has another sign-up in progress. */
  state: "ready" | "busy" | "ended";
  packageId: string;
  /** Names the sign-up's owner. */
  company?: string | undefined;
  /** With most of the local part masked. */
  email?: string | undefined;
}

export type DoneStepData = Pick<
  DoneSession,
  "step" | "account" | "card" | "startedAt" | "trialEnd" | "requestId" | "flash"
>;

export type SignupStep = (FormStepData | CardStepData | WaitingStepData | ResumeStepData | DoneStepData) & {
  /** Another sign-up of this browser. */
  other?: SignUpName | undefined;
};

export type LaterStepData = Exclude<SignupStep, { step: "form" }>;

export interface SignupReply {
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  formNonce?: string;
  /** Of the post that the API refused. */
  requestId?: string;
  /** A challenge: the confirm button's token, and Turnstile's key if it is configured. */
  challenge?: { token: string; siteKey?: string | undefined };
}
