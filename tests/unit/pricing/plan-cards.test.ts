import { JSDOM } from "jsdom";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { company } from "../../../app/company";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PlanCard } from "../../../app/pricing/plans/plan-card";
import { type DetailedPlan, detailedPlans } from "../../../app/pricing/plans/plan-details";
import { PLANS } from "../../support/plans";

/** A plan card's visible text. */
function cardOf(plan: DetailedPlan) {
  const html = renderToStaticMarkup(createElement(PlanCard, { plan }));
  const { document } = new JSDOM(html).window;
  const lines = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").trim());
  const button = document.querySelector("a");
  return {
    lines: lines("h2, p"),
    features: lines("li"),
    button: {
      text: button?.textContent,
      label: button?.getAttribute("aria-label") ?? null,
      href: button?.getAttribute("href"),
    },
    struckOut: lines("del"),
  };
}

function planNamed(title: string): DetailedPlan {
  const plan = detailedPlans().find((one) => one.title === title);
  if (!plan) throw new Error(`There is no plan ${title}.`);
  return plan;
}

test("the cards are in the specification's order", () => {
  const titles = detailedPlans().map(({ title }) => title);
  expect(titles).toEqual(["MINI", "LITE", "STANDARD", "ENTERPRISE/AGENCY"]);
});

test.each([
  { ...PLANS.MINI, ribbon: [] },
  { ...PLANS.LITE, ribbon: [] },
  { ...PLANS.STANDARD, ribbon: ["Recommended"] },
])("the card of $title has its trial, its price and what the trial costs", ({ title, short, ribbon }) => {
  const terms = "No charge during the trial. Cancel anytime.";
  expect(cardOf(planNamed(title)).lines).toEqual([
    title,
    `${TRIAL_DAYS}-day free trial`,
    ...ribbon,
    `${short} a month`,
    terms,
  ]);
});

test("the card of ENTERPRISE/AGENCY has a price on request and no trial", () => {
  const lines = ["ENTERPRISE/AGENCY", "Price on request", `Or write to ${company.salesEmail}.`];
  expect(cardOf(planNamed("ENTERPRISE/AGENCY")).lines).toEqual(lines);
});

test.each([
  { title: "MINI", packageId: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10" },
  { title: "LITE", packageId: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220" },
  { title: "STANDARD", packageId: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430" },
])("the button of $title leads to its sign-up", ({ title, packageId }) => {
  expect(cardOf(planNamed(title)).button).toEqual({
    text: "Start free trial",
    label: `Start free trial: ${title}`,
    href: `/subscription/${packageId}`,
  });
});

test("the button of ENTERPRISE/AGENCY writes to sales", () => {
  expect(cardOf(planNamed("ENTERPRISE/AGENCY")).button).toEqual({
    text: "Contact Sales",
    label: null,
    href: `mailto:${company.salesEmail}?subject=Enterprise%2FAgency%20plan`,
  });
});

const SPECIALIST = "Dedicated GEO (generative engine optimization) specialist";
const IN_EVERY_PAID_PLAN = {
  domains: "Domains: Unlimited",
  after: ["Export: CSV/JSON", "Seats: Unlimited", "Support: Email"],
};

test.each([
  {
    title: "MINI",
    platforms: "ChatGPT, Perplexity",
    prompts: 50,
    briefs: "5 content briefs and 5 pieces a month",
    specialist: `Not included: ${SPECIALIST}`,
  },
  {
    title: "LITE",
    platforms: "ChatGPT, Perplexity",
    prompts: 100,
    briefs: "10 content briefs and 10 pieces a month",
    specialist: `Not included: ${SPECIALIST}`,
  },
  {
    title: "STANDARD",
    platforms: "ChatGPT, Perplexity, Google AI Overviews",
    prompts: 600,
    briefs: "30 content briefs and 30 pieces a month",
    specialist: SPECIALIST,
  },
])("the card of $title has the specification's features", ({ title, platforms, prompts, briefs, specialist }) => {
  expect(cardOf(planNamed(title)).features).toEqual([
    `Platforms: ${platforms}`,
    IN_EVERY_PAID_PLAN.domains,
    `Prompts tracked: ${prompts}`,
    `Briefs / pieces: ${briefs}`,
    ...IN_EVERY_PAID_PLAN.after,
    specialist,
  ]);
});

test("the card of ENTERPRISE/AGENCY has everything in STANDARD and its own features", () => {
  expect(cardOf(planNamed("ENTERPRISE/AGENCY")).features).toEqual([
    "Everything in STANDARD",
    "Platforms: ChatGPT, Perplexity, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok",
    "Prompts tracked: Custom prompts",
    "Integrations: Your search console, your analytics tool, and two hosting and edge providers",
    "Support: Dedicated specialist and a forward-deployed engineer, who works with your team",
  ]);
});

test("a price that differs from the original is next to it, with the price that follows", () => {
  const { lines, struckOut } = cardOf({ ...planNamed("MINI"), price: "$80", originalPrice: "$1,200" });
  expect(struckOut).toEqual(["Regular price $1,200"]);
  expect(lines).toEqual(expect.arrayContaining(["Regular price $1,200 $80 a month", "Then $1,200 a month"]));
});

test.each([{ originalPrice: "$100" }, { originalPrice: null }])(
  "nothing is struck out with the original price $originalPrice and the price $100",
  ({ originalPrice }) => {
    expect(cardOf({ ...planNamed("MINI"), price: "$100", originalPrice }).struckOut).toEqual([]);
  },
);
