import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The plans: one table, and everything that has to agree with it. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const SEARCH = "ChatGPT, Perplexity";
const ALL_PLATFORMS = `${SEARCH}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;

const SPECIALISTS = "Dedicated specialist and a forward-deployed engineer";
const INTEGRATIONS = "Your search console, your analytics tool, and two hosting and edge providers";
const three = (cell: string) => [cell, cell, cell];
const same = "Same as STANDARD";
/** The comparison of the plans; the cards have the same features. */
const PLANS = [
  ["Feature", "MINI", "LITE", "STANDARD", "ENTERPRISE/AGENCY"],
  ["Price", "$100 a month", "$200 a month", "$500 a month", "Price on request"],
  ["Platforms", SEARCH, SEARCH, `${SEARCH}, Google AI Overviews`, ALL_PLATFORMS],
  ["Domains", ...three("Unlimited"), same],
  ["Prompts tracked", "50", "100", "600", "Custom prompts"],
  ["Price per prompt", "$2.00 a month", "$2.00 a month", "$0.83 a month", "Price on request"],
  ["Briefs / pieces", "5 / 5 a month", "10 / 10 a month", "30 / 30 a month", same],
  ["Export", ...three("CSV/JSON"), same],
  ["Seats", ...three("Unlimited"), same],
  ["Support", ...three("Email"), SPECIALISTS],
  ["Dedicated GEO specialist", "Not included", "Not included", "Included", same],
  ["Integrations", ...three("Not included"), INTEGRATIONS],
];

test("the plans are compared in a table, and their cards have its features in order, price, trial, button and terms", async () => {
  const { wordsOfEach, each } = await open("/pricing");
  expect(wordsOfEach(".comparison :is(th, td)")).toEqual(PLANS.flat());
  const featureOf = (title = "", cell = "") =>
    ({ Included: title, "Not included": `Not included: ${title}` })[cell] ?? `${title}: ${cell}`;
  expect(wordsOfEach("#plans li")).toEqual([
    ...[1, 2, 3].flatMap((column) => PLANS.slice(2, -1).map((row) => featureOf(row[0], row[column]))),
    ...["Everything in STANDARD", `Platforms: ${ALL_PLATFORMS}`, "Prompts tracked: Custom prompts"],
    ...[`Integrations: ${INTEGRATIONS}`, `Support: ${SPECIALISTS}`],
  ]);
  const paid = (title: string, price: number, ribbon: string[] = []) => [
    ...[title, ...ribbon, `$${price} a month`, "5-day free trial", "Start free trial"],
    `No charge for 5 days, then $${price}/month. Cancel anytime.`,
  ];
  expect(wordsOfEach("#plans :is(h2, p, a)")).toEqual([
    ...paid("MINI", 100),
    ...paid("LITE", 200),
    ...paid("STANDARD", 500, ["Recommended"]),
    ...["ENTERPRISE/AGENCY", "Price on request", "Contact Sales", `Or write to ${company.salesEmail}.`],
  ]);
  expect(each("#plans .plan-highlighted", "aria-labelledby")).toEqual(["plan-standard"]);
  const labels = ["MINI", "LITE", "STANDARD"].map((title) => `Start free trial: ${title}`);
  expect(each("#plans a", "aria-label")).toEqual([...labels, null]);
});

test("the question for the number of prompts has an answer for each plan", async () => {
  const { wordsOfEach, each } = await open("/pricing");
  expect(wordsOfEach(".picker :is(legend, label, p)")).toEqual([
    "How many prompts do you track?",
    ...["Up to 50", "MINI fits: 50 prompts for $100 a month. Each costs $2.00."],
    ...["51 to 100", "LITE fits: 100 prompts for $200 a month. Each costs $2.00."],
    ...["101 to 600", "STANDARD fits: 600 prompts for $500 a month. Each costs $0.83, 58% less than with LITE."],
    ...["More than 600", "ENTERPRISE/AGENCY fits: custom prompts, with a price on request."],
  ]);
  expect(each(".picker input", "aria-describedby")).toEqual(each(".picker p", "id"));
  expect(each(".picker input[checked]", "id")).toEqual(["prompts-standard"]);
});

/** Title, price, prompts and price per prompt of each plan with a price, from the table. */
const priced = [1, 2, 3].map((column) => {
  const [title = "", price = "", platforms, , prompts, each = ""] = PLANS.map((row) => row[column]);
  return { title, price, platforms, prompts: `${prompts} prompts tracked, ${each.split(" ")[0]} per prompt` };
});

test.each(["/", "/pricing"])("the structured data of %s has an offer for each plan with a price", async (path) => {
  const [json = "{}"] = (await open(path)).wordsOfEach('script[type="application/ld+json"]');
  const nodes: Record<string, unknown>[] = JSON.parse(json)["@graph"];
  const offers = priced.map(({ title, price: monthly, prompts }) => {
    const price = Number(monthly.match(/\d+/)?.[0]);
    const url = `${site.url}/pricing#plan-${title.toLowerCase()}`;
    return {
      ...{ "@type": "Offer", name: title, description: `5-day free trial. ${prompts}`, url, price },
      priceCurrency: "USD",
      priceSpecification: {
        ...{ "@type": "UnitPriceSpecification", price, priceCurrency: "USD", billingDuration: 1, unitCode: "MON" },
      },
    };
  });
  expect(nodes.find((node) => node["@type"] === "SoftwareApplication")?.offers).toEqual(offers);
  const ids = (await open("/pricing")).each("#plans h2", "id");
  expect(ids).toEqual([...offers.map(({ url }) => url.split("#")[1]), "plan-enterprise"]);
});

test("llms.txt has each plan, and /pricing in Markdown their table", async () => {
  const buttons = (await open("/pricing")).each("#plans a", "href");
  const lines = priced.map(({ title, price, platforms, prompts }, index) => {
    const signUp = `[Sign up](${site.url}${buttons[index]})`;
    return `- ${title}: ${price}, 5-day free trial. Platforms: ${platforms}. ${prompts}. ${signUp}`;
  });
  const enterprise = `- ENTERPRISE/AGENCY: Price on request. Platforms: ${ALL_PLATFORMS}.`;
  expect((await visitor.get("/llms.txt")).body).toContain(`## Plans\n\n${[...lines, enterprise].join("\n")}\n`);
  const { body } = await visitor.get("/pricing.md");
  for (const row of PLANS) expect(body).toContain(`| ${row.join(" | ")} |\n`);
  expect(body).toMatch(/## MINI\n.*\$100 a month.*## LITE\n.*## STANDARD\n.*## ENTERPRISE\/AGENCY\n/s);
});
