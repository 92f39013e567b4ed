/** Counted steps of a sign-up and their names, in order (docs/operations.md, "The funnel"). */
export const FUNNEL_STEPS = {
  plan_viewed: "Plans viewed",
  form_opened: "Form opened",
  form_refused: "Form refused",
  field_refused: "Field refused",
  accepted: "Sign-up accepted",
  card_shown: "Card requested",
  declined: "Card declined",
  set_up: "Card set up",
  trial: "Trial started",
  paid: "First payment",
} as const;

export type FunnelStep = keyof typeof FUNNEL_STEPS;

/** A dataset of Workers Analytics Engine: https://developers.cloudflare.com/analytics/analytics-engine/ */
export interface FunnelDataset {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
}

/** Fixed words only: `package` may also be `other` or `none`, and `field` `none`. */
export type FunnelCount = { step: FunnelStep; package: string; field: string };

export type CountStep = (step: FunnelStep, packageWord?: string, field?: string) => void;

export const NONE = "none";

/** Counts in a dataset, or in the log if there is none. Never throws or waits. */
export function countIn(dataset: FunnelDataset | undefined, log: (count: FunnelCount) => void): CountStep {
  return (step, packageWord = NONE, field = NONE) => {
    try {
      if (dataset === undefined) log({ step, package: packageWord, field });
      // Analytics Engine samples by index, so frequent early steps displace no late ones.
      else dataset.writeDataPoint({ indexes: [step], blobs: [step, packageWord, field], doubles: [1] });
    } catch {
      // A request must not fail because of a count.
    }
  };
}
