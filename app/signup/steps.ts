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

export const signupSession = z.discriminatedUnion("step", [
  z.object({ step: z.literal("card"), clientSecret: z.string(), account, address: z.optional(billingAddress) }),
  z.object({ step: z.literal("done"), account }),
]);

export type SignupSession = z.output<typeof signupSession>;

export type Account = z.output<typeof account>;

export interface ResumeLink {
  url: string;
  /** An SVG document in a data URL. */
  qrCode: string;
}

export type FormStepData = { step: "form"; packageId: string; formNonce: string; failed: boolean };
export type CardStepData = Extract<SignupSession, { step: "card" }> & {
  /** Empty if no card can be taken. */
  publishableKey: string;
  stripeJsUrl: string;
  /** Where Stripe returns to after a redirect. */
  returnUrl: string;
  resumeLink: ResumeLink;
  /** ISO 3166-1 alpha-2, for a country that was recognized. */
  countryCode?: string | undefined;
};
export type SignupStep = FormStepData | CardStepData | Extract<SignupSession, { step: "done" }>;

export interface SignupReply {
  form?: SubmissionResult<string[]>;
  notice?: Notice;
  formNonce?: string;
}
