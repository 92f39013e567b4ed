import type { SubmissionResult } from "@conform-to/react";
import * as z from "zod/mini";
import type { Notice } from "./notices";

/*
 * The sign-up as its pages see it: the session's state, what each step's page is made from, and the action's reply.
 */

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

export const signupSession = z.discriminatedUnion("step", [
  z.object({ step: z.literal("card"), clientSecret: z.string(), account, address: z.optional(billingAddress) }),
  z.object({ step: z.literal("done"), account }),
]);

/** Where an accepted sign-up stands. The form itself keeps nothing. */
export type SignupSession = z.output<typeof signupSession>;

/** Who signed up, for the success step. */
export type Account = z.output<typeof account>;

/** A way to enter the card on another device: valid for 30 minutes, sealed like the session. */
export interface ResumeLink {
  url: string;
  /** The link as a QR code: an SVG document in a data URL. */
  qrCode: string;
}

export type FormStepData = { step: "form"; packageId: string; formNonce: string; failed: boolean };
export type CardStepData = Extract<SignupSession, { step: "card" }> & {
  /** Empty where none is configured: then there is no way to take a card. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Where the provider sends the browser back to after a redirect. */
  returnUrl: string;
  resumeLink: ResumeLink;
};
export type SignupStep = FormStepData | CardStepData | Extract<SignupSession, { step: "done" }>;

/** What the action tells a form that it does not accept. */
export interface SignupReply {
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  formNonce?: string;
}
