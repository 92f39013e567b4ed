import { expect, test } from "vitest";
import { PAID_PLANS, settingOf, TRIAL_DAYS } from "../../../app/contract/plans";
import { describeOffer, findPlan, plans } from "../../../app/pricing/plans/plan-list";
import { recordOf } from "../../../app/shared/record-of";
import { trialOffer } from "../../../app/signup/form/plan-summary";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { PACKAGE_IDS } from "../../support/site-in-process/site-settings";

/*
 * A new entry of the contract's list of plans has to appear in each of these places. What pages show of them:
 * workers/pages/plans.test.ts.
 */

const ids = recordOf(PAID_PLANS.map((plan) => [plan.key, String(PACKAGE_IDS[settingOf(plan)])] as const));

test.each(PAID_PLANS)("the plan $title is sold by the API under the site's id, at the price of the offer", (sold) => {
  const { key, title, monthlyPrice } = sold;
  const rows = signUpsInProcess().rows("SELECT name, price_cents FROM packages WHERE id = ?", ids[key]);
  expect(rows).toEqual([{ name: title, price_cents: monthlyPrice * 100 }]);
  const plan = findPlan(plans({ packageIds: ids, salesEmail: "sales@site.example" }), ids[key]);
  if (!plan) throw new Error("The sign-up does not know the plan.");
  expect(describeOffer(plan)).toBe(`${title}: $${monthlyPrice} a month, ${TRIAL_DAYS}-day free trial`);
  const price = `$0 today. Then $${monthlyPrice}/month`;
  const days = `after ${TRIAL_DAYS} days unless you cancel.`;
  const offers = [trialOffer(plan, false), trialOffer(plan, false, true)];
  expect(offers).toEqual([`${price} ${days}`, `${price} plus any tax ${days}`]);
});
