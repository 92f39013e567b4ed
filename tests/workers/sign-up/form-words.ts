import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PLANS } from "../../support/plans";

/* What the form says about plans. */

export const AGREED = "the price you agreed with us";
export const SAVED = `We save your card but don’t charge it during your ${TRIAL_DAYS}-day free trial.`;
/** The choices of a plan. */
export const OFFERS = Object.values(PLANS).map(({ title, short }) => `${title}, ${short} a month`);
export const LITE = { id: PLANS.LITE.packageId, offer: `${PLANS.LITE.packageId}:${PLANS.LITE.priceCents}` };
