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
function cardOf(plan: DetailedPlan, isTaxAdded = false) {
  const { document } = new JSDOM(renderToStaticMarkup(createElement(PlanCard, { plan, isTaxAdded }))).window;
  const lines = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").trim());
  const button = document.querySelector("a");
  const [text, label, href] = [button?.textContent, button?.getAttribute("aria-label"), button?.getAttribute("href")];
  return { lines: lines("h2, p"), features: lines("li"), button: { text, label, href }, struckOut: lines("del") };
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

const SPECIALIST = "Dedicated GEO (generative engine optimization) specialist";

const NO_SPECIALIST = `Not included: ${SPECIALIST}`;
const TWO_PLATFORMS = "ChatGPT, Perplexity";
const RECOMMENDED = { ribbon: ["Recommended"], platforms: "ChatGPT, Perplexity, Google AI Overviews" };

/** The specification's features. */
test.each([
  { ...PLANS.MINI, ribbon: [], platforms: TWO_PLATFORMS, prompts: 50, pieces: 5, specialist: NO_SPECIALIST },
  { ...PLANS.LITE, ribbon: [], platforms: TWO_PLATFORMS, prompts: 100, pieces: 10, specialist: NO_SPECIALIST },
  { ...PLANS.STANDARD, ...RECOMMENDED, prompts: 600, pieces: 30, specialist: SPECIALIST },
])("the card of $title has its trial, its price, the specification's features and its sign-up's button", (plan) => {
  const { title, packageId, short, ribbon, platforms, prompts, pieces, specialist } = plan;
  expect(cardOf(planNamed(title))).toMatchObject({
    lines: [
      title,
      `${TRIAL_DAYS}-day free trial`,
      ...ribbon,
      `${short} a month`,
      "No charge during the trial. Cancel anytime.",
    ],
    features: [
      `Prompts tracked: ${prompts}`,
      `Briefs / pieces: ${pieces} content briefs and ${pieces} pieces of content a month`,
      `Platforms: ${platforms}`,
      specialist,
    ],
    button: { text: "Start free trial", label: `Start free trial: ${title}`, href: `/subscription/${packageId}` },
  });
});

test("the card of ENTERPRISE/AGENCY has a price on request, its own features and a button that writes to sales", () => {
  const { salesEmail } = company;
  expect(cardOf(planNamed("ENTERPRISE/AGENCY"))).toMatchObject({
    lines: ["ENTERPRISE/AGENCY", "Price on request", `Or write to ${salesEmail}.`],
    features: [
      "Everything in STANDARD",
      "Prompts tracked: Custom prompts",
      "Platforms: ChatGPT, Perplexity, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok",
      "Integrations: Your search console, your analytics tool, and two hosting and edge providers",
      "Support: Dedicated specialist and a forward-deployed engineer, who works with your team",
    ],
    button: { text: "Contact Sales", label: null, href: `mailto:${salesEmail}?subject=Enterprise%2FAgency%20plan` },
  });
});

test("a price to which tax is added says so", () => {
  const [line] = cardOf(planNamed(PLANS.MINI.title)).lines.slice(-1);
  const { lines } = cardOf(planNamed(PLANS.MINI.title), true);
  expect(lines.slice(-3)).toEqual([`${PLANS.MINI.short} a month`, "Plus any tax.", line]);
});

test.each([
  { originalPrice: "$1,200", says: ["Regular price $1,200 $100 a month", "Then $1,200 a month"], struckOut: true },
  { originalPrice: "$100", says: ["$100 a month"], struckOut: false },
  { originalPrice: null, says: ["$100 a month"], struckOut: false },
])("beside the price $100, the original price $originalPrice is struck out: $struckOut", (row) => {
  const card = cardOf({ ...planNamed(PLANS.MINI.title), price: "$100", originalPrice: row.originalPrice });
  expect(card.struckOut).toEqual(row.struckOut ? ["Regular price $1,200"] : []);
  expect(card.lines).toEqual(expect.arrayContaining(row.says));
});
