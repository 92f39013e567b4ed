import type { LogFields, LogLevel } from "../../../app/shared/log-line";
import type { Packages } from "../packages";
import type { SetupIntent } from "../stripe/card-setup";
import type { Payments } from "../stripe/payments";
import type { SignUp } from "./sign-up";
import type { Change, SignUps } from "./store";
import type { TrialClaims } from "./trial-claims";

export type AdvanceServices = { signUps: SignUps; payments: Payments; claims: TrialClaims; packages: Packages };

/** What a step does with the sign-up that it was given: writes a change and its log line, removes the row, or leaves it as it is. */
export type Step = (
  | { write: Change; log?: [level: LogLevel, event: string, fields: LogFields] }
  | { remove: true }
  | { done: true }
) & {
  /** The sign-up's setup intent, if Stripe has just been asked for it: the next step need not ask again. */
  setupIntent?: SetupIntent;
};

/** Asks Stripe and acts there. May be repeated, and by several callers at once. Throws PaymentsError and D1's errors. */
export type TakeStep = (signUp: SignUp, services: AdvanceServices, setupIntent?: SetupIntent) => Step | Promise<Step>;

export function nothingLeftToDo(): Step {
  return { done: true };
}
