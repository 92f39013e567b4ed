import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router-dom";
import { describe, expect, test } from "vitest";
import { type FormField, formFields, isRequired } from "../../../app/contract/fields/form-fields";
import { ENTERPRISE_PLAN, PAID_PLANS, PLAN_FEATURES, settingOf, TRIAL_DAYS } from "../../../app/contract/plans";
import { trialEndOf } from "../../../app/contract/trial";
import { readConfiguration } from "../../../app/pipeline/settings/configuration.server";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { PlanComparison } from "../../../app/pricing/plans/plan-comparison";
import { detailedPlans } from "../../../app/pricing/plans/plan-details";
import { describeOffer, findPlan, plans } from "../../../app/pricing/plans/plan-list";
import { paidTitles } from "../../../app/pricing/plans/platforms";
import { recordOf } from "../../../app/shared/record-of";
import { PlanTerms, trialOffer } from "../../../app/signup/form/plan-summary";
import { SignupForm } from "../../../app/signup/form/signup-form";
import { columnsOf } from "../../../functions/subscription-api/sign-ups/field-columns";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { post, SETTINGS, siteContext } from "../../support/site-in-process/site-context";
import { validRequest } from "../../support/visitors/visitor";

/* A new entry of the contract's lists of plans and fields has to appear in each of these places. */

const read = readConfiguration(SETTINGS);
if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
const { configuration } = read;
const ids = recordOf(PAID_PLANS.map((plan) => [plan.key, configuration[settingOf(plan)]] as const));
const site = { packageIds: ids, salesEmail: configuration.SALES_EMAIL };
const typed: Record<string, unknown> = { ...validRequest };

/** A part of a page, below the site's root. */
function pageWith(element: React.ReactElement): string {
  const router = createMemoryRouter([{ id: "root", path: "/", loader: () => site, element }], {
    hydrationData: { loaderData: { root: site } },
  });
  return renderToString(createElement(RouterProvider, { router })).replaceAll("<!-- -->", "");
}

describe.each(PAID_PLANS)("the plan $title", ({ key, title, monthlyPrice }) => {
  test("stops the site without its setting", () => {
    const name = settingOf({ title });
    const problems = [{ name, problem: "is missing" }];
    expect(readConfiguration({ ...SETTINGS, [name]: undefined })).toEqual({ status: "invalid", problems });
  });

  test("is a card and a column of the comparison, with its price, numbers and link", () => {
    const all = detailedPlans(site);
    const plan = all.find((one) => one.key === key);
    if (!plan) throw new Error("The pricing page does not have the plan.");
    const { prompts, pieces } = PLAN_FEATURES[key];
    const card = pageWith(createElement(PlanCard, { plan }));
    const price = `$${monthlyPrice}`;
    for (const words of [title, `>${price}<`, `/subscription/${ids[key]}"`, `${prompts}`, `${pieces} / ${pieces}`])
      expect(card).toContain(words);
    const comparison = pageWith(createElement(PlanComparison, { plans: all }));
    for (const words of [title, price, `${prompts}`]) expect(comparison).toContain(words);
    expect(paidTitles).toContain(title);
  });

  test("is what its sign-up page offers, for the days of the trial", () => {
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

const empty = { packageId: ids.mini, draft: undefined, reply: undefined, submitting: false };
const form = pageWith(createElement(SignupForm, empty)).replaceAll("&amp;", "&");

describe.each(Object.entries<FormField>(formFields))(
  "the field %s",
  (name, { label, hint = "", autoComplete, rule }) => {
    test("is on the form with its label, hint and autocomplete value, and required unless it is optional", () => {
      expect(form).toContain(`<label for="signup-${name}">${label}</label>`);
      expect(form).toContain(hint);
      const [input = ""] = new RegExp(`<(?:input|select)[^>]* name="${name}"[^>]*>`).exec(form) ?? [];
      expect(input).toMatch(new RegExp(`autoComplete="[^"]*${autoComplete}"`, "i"));
      expect(/ required=/.test(input)).toBe(isRequired(rule));
    });

    test("is forwarded to the API, and stored in its column", async () => {
      const visited = siteContext();
      await post(visited, { ...validRequest, confirmPassword: validRequest.password });
      expect(JSON.parse(String(visited.api.calls[0]?.init.body))).toMatchObject(validRequest);
      const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (name === "password") return;
      expect(columnsOf(validRequest)).toHaveProperty(column, typed[name]);
      const { signUp } = signUpsInProcess();
      expect(await signUp()).toHaveProperty(column, typed[name]);
    });
  },
);

test("a trial ends after the days of the contract, and no page, email or legal text has the number of its own", () => {
  expect(Date.parse(trialEndOf("2026-11-22T14:30:00.000Z"))).toBe(Date.UTC(2026, 10, 22 + TRIAL_DAYS, 14, 30));
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const own = ["app", "functions"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|mdx)$/.test(name))
      .filter((name) => {
        const code = readFileSync(`${root}${folder}/${name}`, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
        return /\b(?:5|five)[- ]days?\b/i.test(code);
      }),
  );
  expect(own).toEqual([]);
});
