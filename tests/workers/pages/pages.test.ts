import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { research } from "../../../app/home/home-content";
import { PLANS } from "../../support/plans";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The links, lists and statements of home, pricing, the sign-up's trial box and the not-found page. */

const SALES = `mailto:${company.salesEmail}`;
const SUPPORT = `mailto:${company.supportEmail}`;
const PORTAL = "http://localhost:8789/p/login/test";
const STANDARD = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
const CUSTOM = "/subscription/11111111-2222-4333-8444-555555555555";

const { visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const CLOSING_LINKS = [
  "start a free trial: /pricing#plans",
  `Contact Sales for brands: ${SALES}?subject=AI%20search%20visibility%20for%20our%20brand`,
  `Contact Sales for agencies: ${SALES}?subject=AI%20search%20visibility%20for%20our%20agency`,
];

test.each([
  {
    path: "/",
    links: [
      "Get Started: /pricing",
      "Learn More: #features",
      `Source: Gartner: ${research.url}`,
      `Source: Gartner, press release, December 14, 2023: ${research.url}`,
      ...CLOSING_LINKS,
    ],
  },
  {
    path: "/pricing",
    links: [`Contact support: ${SUPPORT}`, `customer portal: ${PORTAL}`, ...CLOSING_LINKS],
  },
  { path: "/nothing-here", links: ["Return to Home: /"] },
])("$path has its links in order, beside the plan cards of tests/unit/pricing", async ({ path, links }) => {
  expect((await open(path)).links("main a:not(#plans a)")).toEqual(links);
});

const PLATFORMS = "ChatGPT, Perplexity";
const ALL_PLATFORMS = `${PLATFORMS}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;
const section = (name: string) => `section[aria-labelledby=${name}]`;
const [HERO, FUTURE, SUITE] = ["hero", "future", "suite"].map(section);
const [FAQ, TRIAL, CLOSING] = ["faq", "trial", "closing"].map(section);
const CALL = "The next answer is being written. Be in it.";

test.each([
  {
    list: "features",
    path: "/",
    selector: "#features h3",
    items: ["AI Search Visibility", "Competitive Analysis", "Automated Content Optimization"],
  },
  { list: "product suite", path: "/", selector: `${SUITE} h3`, items: ["Prompt generation", "Monitoring", "Actions"] },
  { list: "statistics", path: "/", selector: `${FUTURE} strong`, items: ["50%+", "79%", "70%"] },
  {
    list: "plans by platform",
    path: "/",
    selector: "table.platforms tbody th",
    items: ["MINI, LITE", "STANDARD", "ENTERPRISE/AGENCY"],
  },
  {
    list: "platforms",
    path: "/",
    selector: "table.platforms tbody td",
    items: [PLATFORMS, `${PLATFORMS}, Google AI Overviews`, ALL_PLATFORMS],
  },
  { list: "marks of examples", path: "/", selector: "figure .badge", items: ["Example"] },
  { list: "last headings", path: "/", selector: "main > section:last-child h2", items: [CALL] },
  {
    list: "headings",
    path: "/pricing",
    selector: "main section h2:not(#plans h2)",
    items: ["How the free trial works", "What a content brief looks like", "FAQ", CALL],
  },
  { list: "marks of examples", path: "/pricing", selector: ".brief .badge", items: ["Example"] },
])("$path has its $list in order", async ({ path, selector, items }) => {
  expect((await open(path)).wordsOfEach(selector)).toEqual(items);
});

const chargedThen = (amount: string) => `First charge: ${amount}, then the same every month until you cancel.`;

test.each([
  { path: "/pricing", lastDay: chargedThen("your plan’s price") },
  { path: STANDARD, lastDay: chargedThen(PLANS.STANDARD.short) },
  { path: CUSTOM, lastDay: chargedThen("the price you agreed with us") },
])("the trial box of $path names the days of the trial", async ({ path, lastDay }) => {
  expect((await open(path)).wordsOfEach(`${TRIAL} li`)).toEqual([
    "Today $0. We save your card but don’t charge it.",
    "Day 4 We email you a reminder, 2 days before the trial ends.",
    `Day 6 ${lastDay}`,
  ]);
});

test("the trial box without a plan promises no reminder, because none is sent", async () => {
  expect((await open("/subscription")).wordsOfEach(`${TRIAL} li`)).toEqual([
    "Today $0. We save your card but don’t charge it.",
    "Day 6 Your trial ends. Without a plan, you pay nothing.",
  ]);
});

describe("home says", () => {
  test.each([
    { where: HERO, says: "for brands and agencies" },
    { where: HERO, says: "DeepSeek answers buyers’ questions too, but no plan tracks it." },
    { where: HERO, says: `From ${PLANS.MINI.short} a month. No charge for ${TRIAL_DAYS} days. Cancel anytime.` },
    { where: "aside", says: "AI search will cut organic traffic by 50% or more by 2028." },
    { where: SUITE, says: "Synthetic prompts built from your keywords and targeted by persona" },
    { where: SUITE, says: "One dashboard for your AI visibility metrics and the content gaps" },
    { where: SUITE, says: "Content briefs that are ready for AI search. A brief says what to write" },
    { where: FUTURE, says: "Future of Search" },
    { where: FUTURE, says: "50%+ Forecast drop in organic traffic by 2028, as consumers embrace generative" },
    {
      where: FUTURE,
      says: "79% of consumers expected, in August 2023, to use AI-enhanced search within the next year.",
    },
    { where: FUTURE, says: "70% of consumers had at least some trust in the results" },
    { where: FUTURE, says: "Survey of 299 consumers, August 2023." },
    {
      where: FUTURE,
      says: "“CMOs must prepare for the disruption that GenAI-backed search will bring to their organic search strategies.”Gartner, the analyst firm",
    },
    { where: CLOSING, says: `Write to ${company.salesEmail}, or start a free trial.` },
  ])("in $where: $says", async ({ where, says }) => {
    expect((await open("/")).words(where)).toContain(says);
  });
});

describe("the FAQ answers", () => {
  test.each([
    {
      question: "How often are reports generated?",
      answer: "Reports are generated monthly, with real-time monitoring on the dashboard.",
    },
    {
      question: "Can I upgrade my plan?",
      answer: "Yes. You can upgrade at any time, and the price difference is prorated.",
    },
    {
      question: "Can I add domains and teammates?",
      answer: "Yes. Every plan has unlimited domains and seats.",
    },
    {
      question: "What support do I get?",
      answer:
        "All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
    },
    {
      question: "How am I billed?",
      answer: "All plans are billed monthly in U.S. dollars, and invoices are due within 30 days.",
    },
    {
      question: "How do I cancel?",
      answer: "You can cancel at any time, including during the trial: through your account settings, or in",
    },
    { question: "How do I cancel?", answer: "Fees already paid are not refunded, except as stated in our Terms" },
  ])("$question with: $answer", async ({ question, answer }) => {
    const { document } = await open("/pricing");
    const asked = [...document.querySelectorAll(`${FAQ} details`)].find(
      (details) => details.querySelector("summary")?.textContent === question,
    );
    expect(asked?.textContent, `the answer to ${question}`).toContain(answer);
  });
});

test("pricing says that canceling before the first charge costs nothing", async () => {
  expect((await open("/pricing")).words(TRIAL)).toContain("If you cancel before the first charge, you pay nothing.");
});

test("pricing says that monitoring runs during the trial, and reports come after it", async () => {
  expect((await open("/pricing")).words(TRIAL)).toContain(
    "monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
  );
});

test("the form says how to cancel before the first charge", async () => {
  expect((await open(STANDARD)).words(TRIAL)).toContain(
    "To cancel before the first charge, use your account settings, or log in to the customer portal",
  );
});

test("the not-found page shows 404, and explains itself", async () => {
  const words = (await open("/nothing-here")).words();
  expect(words).toMatch(/^404Oops!/);
  expect(words).toContain("It may have been mistyped, or the page has moved");
});

describe("the drawings of home", () => {
  test("have ten different titles", async () => {
    const { wordsOfEach } = await open("/");
    expect(wordsOfEach("main svg[role=img]")).toHaveLength(10);
    expect(new Set(wordsOfEach("main svg[role=img] > title:first-child")).size).toBe(10);
  });

  test("have words that are separated in text browsers", async () => {
    const { document } = await open("/");
    const joined = [...document.querySelectorAll("svg text")].filter(
      (text) => !/^\s/.test(text.nextSibling?.textContent ?? ""),
    );
    expect(joined.map(({ textContent }) => textContent)).toEqual([]);
  });

  test("show no placeholder", async () => {
    expect((await open("/")).words()).not.toMatch(/placeholder|your brand name|competitor [A-Z]\b|lorem/i);
  });
});
