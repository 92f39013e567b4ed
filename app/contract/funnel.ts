/** What is counted of sign-ups, in their order (docs/operations.md, "The funnel"). */
export const FUNNEL_STEPS = [
  "plan_viewed",
  "form_opened",
  "form_refused",
  "field_refused",
  "accepted",
  "card_shown",
  "declined",
  "set_up",
  "trial",
  "paid",
] as const;

export type FunnelStep = (typeof FUNNEL_STEPS)[number];

/** A dataset of Workers Analytics Engine: https://developers.cloudflare.com/analytics/analytics-engine/ */
export interface FunnelDataset {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
}

/** Fixed words alone: a step, a package's id, `other` or `none`, a field's name or `none`. */
export type FunnelCount = { step: FunnelStep; package: string; field: string };

export type CountStep = (step: FunnelStep, packageWord?: string, field?: string) => void;

export const NONE = "none";

/** Counts in a dataset, without waiting; where there is none, in a line of log. Throws nothing. */
export function countIn(dataset: FunnelDataset | undefined, log: (count: FunnelCount) => void): CountStep {
  return (step, packageWord = NONE, field = NONE) => {
    try {
      if (dataset === undefined) log({ step, package: packageWord, field });
      // Sampled by its index: many of an early step cost no count of a late one.
      else dataset.writeDataPoint({ indexes: [step], blobs: [step, packageWord, field], doubles: [1] });
    } catch {
      // A count is no reason to fail a request.
    }
  };
}
