import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router-dom";
import { describe, expect, test } from "vitest";
import { type FormField, formFields, isRequired } from "../../../app/contract/fields/form-fields";
import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES, settingOf, TRIAL_DAYS } from "../../../app/contract/plans";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer, findPlan, plans } from "../../../app/pricing/plans/plan-list";
import { paidTitles } from "../../../app/pricing/plans/platforms";
import { recordOf } from "../../../app/shared/record-of";
import { PlanTerms, trialOffer } from "../../../app/signup/form/plan-summary";
import { SignupForm } from "../../../app/signup/form/signup-form";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { PACKAGE_IDS, post, siteContext } from "../../support/site-in-process/site-context";
import { validRequest } from "../../support/visitors/visitor";

/* A new entry of the contract's lists of plans and fields has to appear in each of these places. */

const ids = recordOf(PAID_PLANS.map((plan) => [plan.key, String(PACKAGE_IDS[settingOf(plan)])] as const));
const site = { packageIds: ids, salesEmail: "sales@site.example" };

/** A part of a page, below the site's root. */
function pageWith(element: ReactElement): string {
  const routes = [{ id: "root", path: "/", loader: () => site, element }];
  const router = createMemoryRouter(routes, { hydrationData: { loaderData: { root: site } } });
  return renderToString(createElement(RouterProvider, { router })).replaceAll("<!-- -->", "").replaceAll("&amp;", "&");
}

describe.each(PAID_PLANS)("the plan $title", ({ key, title, monthlyPrice }) => {
  const { prompts, pieces } = PLAN_FEATURES[key];
  const all = detailedPlans(site);
  const plan = all.find((one) => one.key === key);
  if (!plan) throw new Error("The pricing page does not have the plan.");

  test("is a card and a column of the comparison, with its price and numbers", () => {
    const card = pageWith(createElement(PlanCard, { plan }));
    const own = [title, `>$${monthlyPrice}<`, `/subscription/${ids[key]}"`, `${prompts}`, `${pieces} / ${pieces}`];
    for (const words of own) expect(card).toContain(words);
    const comparison = pageWith(createElement(PlanComparison, { plans: all }));
    for (const words of [title, `$${monthlyPrice} a month`, `${prompts}`]) expect(comparison).toContain(words);
    expect(paidTitles).toContain(title);
  });

  test("is offered by its sign-up page, for the days of the trial", () => {
    const plan = findPlan(plans(site), ids[key]);
    if (!plan) throw new Error("The sign-up does not know the plan.");
    expect(pageWith(createElement(PlanTerms, { plan }))).toContain(`$${monthlyPrice} a month`);
    expect(describeOffer(plan)).toBe(`${title}: $${monthlyPrice} a month, ${TRIAL_DAYS}-day free trial`);
    const terms = `$0 today. Then $${monthlyPrice}/month after ${TRIAL_DAYS} days unless you cancel.`;
    expect(trialOffer(plan, false)).toBe(terms);
  });

  test("is sold by the API under its id, at its price", () => {
    const sold = signUpsInProcess().rows("SELECT name, price_cents FROM packages WHERE id = ?", ids[key]);
    expect(sold).toEqual([{ name: title, price_cents: monthlyPrice * 100 }]);
  });
});

test("the pricing page ends with the plan that sales sells", () => {
  const titles = [...PAID_PLANS, ENTERPRISE_PLAN].map(({ title }) => title);
  expect(detailedPlans(site).map(({ title }) => title)).toEqual(titles);
});

test("each field is on the form with its label, hint and autocomplete value, and required unless it is optional", () => {
  const empty = { packageId: ids.mini, draft: undefined, reply: undefined, submitting: false };
  const form = pageWith(createElement(SignupForm, empty));
  for (const [name, field] of Object.entries<FormField>(formFields)) {
    expect(form).toContain(`<label for="signup-${name}">${field.label}</label>`);
    expect(form).toContain(field.hint ?? "");
    const [input = ""] = new RegExp(`<(?:input|select)[^>]* name="${name}"[^>]*>`).exec(form) ?? [];
    expect(input).toMatch(new RegExp(`autoComplete="[^"]*${field.autoComplete}"`, "i"));
    expect([name, / required=/.test(input)]).toEqual([name, isRequired(field.rule)]);
  }
});

test("each field is forwarded to the API, and all but the password are stored in their columns", async () => {
  const visited = siteContext();
  await post(visited, { ...validRequest, confirmPassword: validRequest.password });
  expect(JSON.parse(String(visited.api.calls[0]?.init.body))).toMatchObject(validRequest);
  expect(Object.keys(validRequest)).toEqual(expect.arrayContaining(Object.keys(formFields)));
  const { password: _, ...stored } = validRequest;
  const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const row = Object.fromEntries(Object.entries(stored).map(([name, value]) => [columnOf(name), value]));
  expect(await signUpsInProcess().signUp()).toMatchObject(row);
});
