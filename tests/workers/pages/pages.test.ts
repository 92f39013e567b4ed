import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { counted } from "../../../app/contract/counted";
import { ENTERPRISE_PLAN } from "../../../app/contract/plans";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { REMINDER_DAYS, TRIAL_DAYS } from "../../../app/contract/trial";
import { research } from "../../../app/home/home-content";
import { PLANS } from "../../support/plans";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The links, lists and statements of home, pricing, the sign-up's trial box and the not-found page. */

const SALES = `mailto:${company.salesEmail}`;
const SUPPORT = `mailto:${company.supportEmail}`;
const PORTAL = "http://localhost:8789/p/login/test";
const STANDARD = signUpPath(PLANS.STANDARD.packageId);
const CUSTOM = signUpPath("11111111-2222-4333-8444-555555555555");

const { visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const CLOSING_LINKS = [
  "start a free trial: /pricing#plans",
  `Contact Sales for brands: ${SALES}?subject=AI%20search%20visibility%20for%20our%20brand`,
  `Contact Sales for agencies: ${SALES}?subject=AI%20search%20visibility%20for%20our%20agency`,
];
const PLATFORMS = "ChatGPT, Perplexity";
const ALL_PLATFORMS = `${PLATFORMS}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;
const section = (name: string) => `section[aria-labelledby=${name}]`;
const TRIAL = section("trial");
const CALL = "The next answer is being written. Be in it.";
const HEADINGS = ["Platforms by plan", "How the free trial works", "What a content brief looks like", "FAQ", CALL];
const CANCEL = "You can cancel at any time, including during the trial: through your account settings, or in";
const NOT_REFUNDED = "Fees already paid are not refunded, except as stated in our Terms";
const { MINI, LITE } = PLANS;

/** Every link except on the plan cards (tests/unit/pricing), whole lists by their selectors, and some sentences. */
type Page = { path: string; links?: string[]; lists?: Record<string, string[]>; says: Record<string, string[]> };

test.each<Page>([
  {
    path: "/",
    links: [
      "Get Started: /pricing",
      "Learn More: #features",
      `Source: Gartner: ${research.url}`,
      `Source: Gartner, press release, December 14, 2023: ${research.url}`,
      ...CLOSING_LINKS,
    ],
    lists: {
      "#features h3": ["AI Search Visibility", "Competitive Analysis", "Automated Content Optimization"],
      [`${section("suite")} h3`]: ["Prompt generation", "Monitoring", "Actions"],
      [`${section("future")} strong`]: ["50%+", "79%", "70%"],
      "main .badge": ["Example", "Example"],
      ".deliverables .eyebrow": ["Content brief", "Monthly report", "Answer that changed"],
      "main > section:last-child h2": [CALL],
    },
    says: {
      [section("hero")]: [
        "for brands and agencies",
        `From ${PLANS.MINI.short} a month. No charge for ${TRIAL_DAYS} days. Cancel anytime.`,
      ],
      aside: ["AI search will cut organic traffic by 50% or more by 2028."],
      [section("suite")]: [
        "Synthetic prompts built from your keywords and targeted by persona",
        "One dashboard for your AI visibility metrics and the content gaps",
        "Content briefs that are ready for AI search. A brief says what to write",
      ],
      [section("future")]: [
        "Future of Search",
        "50%+ Forecast drop in organic traffic by 2028, as consumers embrace generative",
        "79% of consumers expected, in August 2023, to use AI-enhanced search within the next year.",
        "70% of consumers had at least some trust in the results",
        "Survey of 299 consumers, August 2023.",
        "“CMOs must prepare for the disruption that GenAI-backed search will bring to their organic search strategies.”Gartner, the analyst firm",
      ],
      [section("closing")]: [`Write to ${company.salesEmail}, or start a free trial.`],
    },
  },
  {
    path: "/pricing",
    links: [
      `Contact support: ${SUPPORT}`,
      `customer portal: ${PORTAL}`,
      `customer portal: ${PORTAL}`,
      ...CLOSING_LINKS,
    ],
    lists: {
      "main section h2:not(#plans h2)": HEADINGS,
      "table.platforms tbody th": [`${MINI.title}, ${LITE.title}`, PLANS.STANDARD.title, ENTERPRISE_PLAN.title],
      "table.platforms tbody td": [PLATFORMS, `${PLATFORMS}, Google AI Overviews`, ALL_PLATFORMS],
      ".common li": ["In every plan:", "Domains: Unlimited", "Seats: Unlimited", "Export: CSV/JSON", "Support: Email"],
      ".brief .badge": ["Example"],
      [`${section("faq")} details`]: [
        "How often are reports generated?Reports are generated monthly, with real-time monitoring on the dashboard.",
        "Can I upgrade my plan?Yes. You can upgrade at any time, and the price difference is prorated. To downgrade, choose a smaller plan in the customer portal.",
        "Can I add domains and teammates?Yes. Every plan has unlimited domains and seats.",
        "What support do I get?All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
        "How am I billed?All plans are billed monthly in U.S. dollars, and invoices are due within 30 days.",
        expect.stringMatching(`^How do I cancel\\?${CANCEL}.*${NOT_REFUNDED}`),
      ],
    },
    says: {
      [TRIAL]: [
        "If you cancel before the first charge, you pay nothing.",
        "monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
      ],
    },
  },
  {
    path: STANDARD,
    says: {
      [TRIAL]: ["To cancel before the first charge, use your account settings, or log in to the customer portal"],
    },
  },
  {
    path: "/nothing-here",
    links: ["Return to Home: /"],
    says: { main: ["404", "It may have been mistyped, or the page has moved"] },
  },
])("$path has its links and lists in order, and says what it must", async ({ path, links, lists = {}, says }) => {
  const page = await open(path);
  if (links) expect(page.links("main a:not(#plans a)")).toEqual(links);
  for (const [selector, items] of Object.entries(lists)) expect(page.wordsOfEach(selector), selector).toEqual(items);
  for (const [selector, sentences] of Object.entries(says))
    for (const sentence of sentences) expect(page.words(selector)).toContain(sentence);
});

const chargedThen = (amount: string) => `First charge: ${amount}, then the same every month until you cancel.`;
const REMINDED = `Day ${TRIAL_DAYS + 1 - REMINDER_DAYS} We email you a reminder, ${counted(REMINDER_DAYS, "day")} before the trial ends.`;

test.each([
  { path: "/pricing", reminders: [REMINDED], lastDay: chargedThen("your plan’s price") },
  { path: STANDARD, reminders: [REMINDED], lastDay: chargedThen(PLANS.STANDARD.short) },
  { path: CUSTOM, reminders: [REMINDED], lastDay: chargedThen("the price you agreed with us") },
  { path: "/subscription", reminders: [], lastDay: "Your trial ends. Without a plan, you pay nothing." },
])("the trial box of $path names the days of the trial, with a reminder if one is sent", async (row) => {
  expect((await open(row.path)).wordsOfEach(`${TRIAL} li`)).toEqual([
    "Today $0. We save your card but don’t charge it.",
    ...row.reminders,
    `Day ${TRIAL_DAYS + 1} ${row.lastDay}`,
  ]);
});

test("the drawings of home have ten titles, words that text browsers separate, and no placeholder", async () => {
  const { words, wordsOfEach, document } = await open("/");
  expect(wordsOfEach("main svg[role=img]")).toHaveLength(10);
  expect(new Set(wordsOfEach("main svg[role=img] > title:first-child")).size).toBe(10);
  const joined = [...document.querySelectorAll("svg text")].filter(
    (text) => !/^\s/.test(text.nextSibling?.textContent ?? ""),
  );
  expect(joined.map(({ textContent }) => textContent)).toEqual([]);
  expect(words()).not.toMatch(/placeholder|your brand name|competitor [A-Z]\b|lorem/i);
});
