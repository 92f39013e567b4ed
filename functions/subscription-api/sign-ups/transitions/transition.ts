import type { LogFields, LogLevel } from "../../../../app/shared/log/log-line";
import type { Packages } from "../../packages";
import type { SignUp } from "../../sign-up";
import type { SetupIntent } from "../../stripe/card-setup";
import type { Payments } from "../../stripe/payments";
import type { Change, SignUps } from "../store";
import type { TrialHashes } from "../trial-hashes";

export type AdvanceServices = {
  signUps: SignUps;
  payments: Payments;
  trialHashes: TrialHashes;
  packages: Packages;
};

/** What happens to the sign-up: a change is written and logged, the row is removed, or nothing is left to do. */
export type Transition = (
  | {
      write: Change;
      log?: [level: LogLevel, event: string, fields: LogFields];
      /** Acts at Stripe once the change is written. After a failure the same transition is made again. */
      afterWrite?: () => Promise<unknown>;
    }
  | { remove: true }
  | { done: true }
) & {
  /** The sign-up's setup intent, if this transition has it from Stripe, so that the next one does not ask again. */
  setupIntent?: SetupIntent;
};

/** Reads and changes objects at Stripe. Can be repeated, even by several callers at once. Throws PaymentsError and D1's errors. */
export type MakeTransition = (
  signUp: SignUp,
  services: AdvanceServices,
  setupIntent?: SetupIntent,
) => Transition | Promise<Transition>;
