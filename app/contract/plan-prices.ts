/** The free trial of every paid plan, in days. */
export const TRIAL_DAYS = 5;

/** US dollars a month. */
export const MONTHLY_PRICES = { MINI: 100, LITE: 200, STANDARD: 500 } as const;
