import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { PlanFeatures } from "../../../app/contract/plans";
import { dispatchMessages } from "../../../functions/subscription-api/outbox/dispatch";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { contextWith } from "../../support/site-in-process/pipeline-context";
import { SETTINGS } from "../../support/site-in-process/site-context";

/* A fifth plan is an entry of the contract's lists, its setting and its row in the API's database. */

const ID = "7d1f6c8e-2f57-4d3b-8c61-94e3a7d5f2aa";
const SETTING = "PACKAGE_ID_TEAM";
const team = { key: "team", title: "TEAM", monthlyPrice: 900 };
const teamFeatures: PlanFeatures = {
  platforms: ["ChatGPT", "Perplexity", "Google AI Overviews", "Claude"],
  prompts: 1200,
  pieces: 60,
  geoSpecialist: true,
  highlighted: false,
};

beforeAll(() => {
  vi.resetModules();
  vi.doMock("../../../app/contract/plans", async (actual) => {
    const plans = await actual<typeof import("../../../app/contract/plans")>();
    const PLAN_FEATURES = { ...plans.PLAN_FEATURES, team: teamFeatures };
    return { ...plans, PAID_PLANS: [...plans.PAID_PLANS, team], PLAN_FEATURES };
  });
});
afterAll(() => {
  vi.doUnmock("../../../app/contract/plans");
  vi.resetModules();
});

/** The site's settings, checked by its own rules. */
async function settingsWith(id: string | undefined) {
  const { readConfiguration } = await import("../../../app/pipeline/settings/configuration.server");
  return readConfiguration({ ...SETTINGS, [SETTING]: id });
}

/** The configured site, and its settings that pages have. */
async function siteOf() {
  const { publicSettings } = await import("../../../app/pipeline/settings/public-settings.server");
  const read = await settingsWith(ID);
  if (read.status === "invalid") throw new Error(JSON.stringify(read.problems));
  return {
    configuration: read.configuration,
    site: publicSettings(contextWith({ configuration: read.configuration })),
  };
}

test("a new plan without its package id setting stops the site with an error that names the setting", async () => {
  expect(await settingsWith(undefined)).toEqual({
    status: "invalid",
    problems: [{ name: SETTING, problem: "is missing" }],
  });
});

test("a new plan appears on the pricing page with its price, features and sign-up link", async () => {
  const { site } = await siteOf();
  const { detailedPlans } = await import("../../../app/pricing/plans/plan-details");
  const { PlanCard } = await import("../../../app/pricing/plans/plan-card");
  const { platformRows, paidTitles, platformsAdded } = await import("../../../app/pricing/plans/platforms");
  const plans = detailedPlans(site);
  expect(plans.map(({ title }) => title)).toEqual(["MINI", "LITE", "STANDARD", "TEAM", "ENTERPRISE/AGENCY"]);
  const cards = renderToStaticMarkup(plans.map((plan) => createElement(PlanCard, { key: plan.key, plan })));
  for (const words of [">$900<", `href="/subscription/${ID}"`, "1200", "60 / 60", "then $900/month"])
    expect(cards).toContain(words);
  expect(paidTitles).toBe("MINI, LITE, STANDARD and TEAM");
  expect(platformRows().map(({ titles }) => titles.join())).toEqual([
    "MINI,LITE",
    "STANDARD",
    "TEAM",
    "ENTERPRISE/AGENCY",
  ]);
  expect(platformsAdded()).toContain("TEAM adds Claude; ENTERPRISE/AGENCY adds Google AI Mode, Gemini");
});

test("the sign-up page of a new plan shows its name and price", async () => {
  const { site } = await siteOf();
  const { findPlan, plans } = await import("../../../app/pricing/plans/plan-list");
  const { PlanTerms, trialOffer } = await import("../../../app/signup/form/plan-summary");
  const plan = findPlan(plans(site), ID);
  if (!plan) throw new Error("The sign-up does not know the plan.");
  expect(renderToStaticMarkup(createElement(PlanTerms, { plan }))).toContain("$900 a month");
  expect(trialOffer(plan, true)).toBe("$0 today. Then $900/month after 5 days unless you cancel.");
});

test("the API sells a new plan as soon as its row exists, and the email names it", async () => {
  const signUps = signUpsInProcess();
  signUps.rows(
    "INSERT INTO packages (id, name, price_cents, stripe_price_id) VALUES (?, 'TEAM', 90000, 'price_team')",
    ID,
  );
  const { id } = await signUps.onTrial({ package_id: ID });
  await dispatchMessages(signUps.services);
  expect(signUps.rows("SELECT status FROM sign_ups WHERE id = ?", id)).toEqual([{ status: "trialing" }]);
  const mails = vi.mocked(fetch).mock.calls.filter(([url]) => String(url).endsWith("/emails"));
  // The model of Stripe gives a product the id of its price as its name.
  expect(mails.map(([, init]) => String(init?.body))).toEqual([expect.stringContaining("Plan: price_team")]);
});
