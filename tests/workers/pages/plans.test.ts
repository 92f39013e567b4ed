import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The plans as search engines and assistants see them. For the plan cards, see tests/unit/pricing. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const PRICED = [
  { title: "MINI", price: 100, prompts: 50, platforms: "ChatGPT, Perplexity" },
  { title: "LITE", price: 200, prompts: 100, platforms: "ChatGPT, Perplexity" },
  { title: "STANDARD", price: 500, prompts: 600, platforms: "ChatGPT, Perplexity, Google AI Overviews" },
];

test.each(["/", "/pricing"])("the structured data of %s has one offer for each plan with a price", async (path) => {
  const [json = "{}"] = (await open(path)).wordsOfEach('script[type="application/ld+json"]');
  const nodes: Record<string, unknown>[] = JSON.parse(json)["@graph"];
  const offers = PRICED.map(({ title, price, prompts }) => ({
    "@type": "Offer",
    name: title,
    description: `5-day free trial. ${prompts} prompts tracked`,
    url: `${site.url}/pricing#plan-${title.toLowerCase()}`,
    price,
    priceCurrency: "USD",
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      price,
      priceCurrency: "USD",
      billingDuration: 1,
      unitCode: "MON",
    },
  }));
  expect(nodes.find((node) => node["@type"] === "SoftwareApplication")?.offers).toEqual(offers);
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
    const { title, price, prompts, platforms } = plan;
    const offer = `- ${title}: $${price} a month, 5-day free trial. Platforms: ${platforms}. ${prompts} prompts tracked.`;
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
  expect(body).toMatch(/## LITE\n[^#]*\$200 a month[^#]*- Prompts tracked: 100\n[^#]*## STANDARD\n/);
});
