import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { inDollars } from "../../../app/contract/money";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PLANS } from "../../support/plans";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The plans as search engines and assistants see them. For the plan cards, see tests/unit/pricing. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const PRICED = [
  { ...PLANS.MINI, prompts: 50, platforms: "ChatGPT, Perplexity" },
  { ...PLANS.LITE, prompts: 100, platforms: "ChatGPT, Perplexity" },
  { ...PLANS.STANDARD, prompts: 600, platforms: "ChatGPT, Perplexity, Google AI Overviews" },
];

test.each(["/", "/pricing"])("the structured data of %s has one offer for each plan with a price", async (path) => {
  const [json = "{}"] = (await open(path)).wordsOfEach('script[type="application/ld+json"]');
  const nodes: Record<string, unknown>[] = JSON.parse(json)["@graph"];
  const offers = PRICED.map(({ title, priceCents, prompts }) => ({
    "@type": "Offer",
    name: title,
    description: `${TRIAL_DAYS}-day free trial. ${prompts} prompts tracked`,
    url: `${site.url}/pricing#plan-${title.toLowerCase()}`,
    price: inDollars(priceCents),
    priceCurrency: "USD",
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      price: inDollars(priceCents),
      priceCurrency: "USD",
      billingDuration: 1,
      unitCode: "MON",
    },
  }));
  const found = z.array(z.unknown()).parse(nodes.find((node) => node["@type"] === "SoftwareApplication")?.offers);
  expect(found).toHaveLength(offers.length);
  for (const [index, offer] of offers.entries()) expect(found[index], `the offer of ${offer.name}`).toEqual(offer);
});

test("the addresses of the offers lead to their cards", async () => {
  const ids = (await open("/pricing")).each("#plans h2", "id");
  expect(ids).toEqual(["plan-mini", "plan-lite", "plan-standard", "plan-enterprise"]);
});

describe("llms.txt", () => {
  let text = "";
  beforeAll(async () => {
    text = (await visitor.get("/llms.txt")).body;
  });

  test.each(PRICED)("has $title with price, trial, platforms and prompts", (plan) => {
    const { title, short, prompts, platforms } = plan;
    const offer = `- ${title}: ${short} a month, ${TRIAL_DAYS}-day free trial. Platforms: ${platforms}. ${prompts} prompts tracked.`;
    expect(text).toContain(`${offer} [Sign up](${site.url}/subscription/`);
  });

  test("has ENTERPRISE/AGENCY with its platforms and without a sign-up", () => {
    const platforms =
      "ChatGPT, Perplexity, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok";
    expect(text).toContain(`- ENTERPRISE/AGENCY: Price on request. Platforms: ${platforms}.\n`);
  });
});

test("/pricing in Markdown has the features of each plan under its title and price", async () => {
  const { body } = await visitor.get("/pricing.md");
  const [, lite = ""] = /## LITE\n([^#]*)## STANDARD\n/.exec(body) ?? [];
  expect(lite).toContain(`${PLANS.LITE.short} a month`);
  expect(lite).toContain("- Prompts tracked: 100\n");
});
