import { HtmlValidate } from "html-validate";
import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { research } from "../../../app/home/home-content";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The pages as documents: frame, links and lists of each, and the facts that they must state. */

const RESEARCH_URL = research.url;
const CONSOLE_URL = "https://console.test";
const PORTAL = "http://localhost:8789/p/login/test";
const SALES = `mailto:${company.salesEmail}`;
const SUPPORT = `mailto:${company.supportEmail}`;
const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const LITE = "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220";
const STANDARD = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";
const CUSTOM = "/subscription/11111111-2222-4333-8444-555555555555";
const UNKNOWN = "/nothing-here";

const { upstream, visitor, dispose } = await startVisitedSite({
  vars: { CONSOLE_URL },
});
afterAll(dispose);
const open = pageReader(visitor);

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: { "heading-level": "error", "no-missing-references": "error" },
});
const htmlProblems = async (html: string) => (await validator.validateString(html)).results;

describe.each([
  ["/", "Be the brand that AI search cites"],
  ["/pricing", "Pricing that scales with your prompts"],
  ["/privacy", "Privacy Policy"],
  ["/terms", "Terms & Conditions"],
  ["/security", "Security"],
  [UNKNOWN, "Oops! Page not found"],
  ["/subscription", "Complete Your Subscription"],
  [STANDARD, "Complete Your Subscription"],
])("%s", (path, heading) => {
  const isSignUp = path.startsWith("/subscription");

  test("has its heading, and the site's header and footer from the settings", async () => {
    const { words, links, each, document } = await open(path);
    expect([document.documentElement.lang, words("h1")]).toEqual(["en", heading]);
    const parts = [...document.body.children].slice(0, 4).map(({ tagName }) => tagName);
    expect(parts).toEqual(["A", "HEADER", "MAIN", "FOOTER"]);
    expect(links("body > a, header > div > a").flat()).toEqual(["Skip to content", "#main", "Citewell", "/"]);
    expect(each("header > div > a", "aria-label")).toEqual(["Citewell, home"]);
    expect(links("header nav li > a").flat()).toEqual([
      ...["Home", "/", "Pricing", "/pricing", "Customer Console", CONSOLE_URL],
      ...(isSignUp ? [] : ["Start free trial", "/pricing#plans"]),
    ]);
    expect(each("header button", "popovertarget")).toEqual(each("header nav", "id"));
    expect(words("header button")).toBe("Menu");
    expect(each("[aria-current=page]", "href")).toEqual(["/", "/pricing"].includes(path) ? [path] : []);
    expect(links("footer nav li > a").flat()).toEqual([
      ...["Pricing", "/pricing", "Contact Sales", SALES, "Contact Support", SUPPORT],
      ...["Privacy Policy", "/privacy", "Terms & Conditions", "/terms", "Security", "/security"],
    ]);
    expect(words("footer nav li p")).toBe(`${company.salesEmail} ${company.supportEmail}`);
    expect(words("footer")).toContain(`© ${new Date().getUTCFullYear()} Citewell, Inc.`);
  });

  test("is valid HTML, and each of its links leads somewhere", async () => {
    const { body, document, each } = await open(path);
    expect(await htmlProblems(body)).toEqual([]);
    expect(body).not.toMatch(/<a [^>]*data-discover/);
    for (const href of new Set(each("a, link[href]", "href"))) {
      if (href?.startsWith("#")) expect(document.getElementById(href.slice(1)), href).not.toBeNull();
      else if (!href?.startsWith("/")) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
      else expect((await visitor.get(href.split("#")[0] ?? "")).status, href).toBe(200);
    }
  });

  if (isSignUp) return;

  test("has no framework script and no form, and calls no backend", async () => {
    const { body, document, wordsOfEach } = await open(path);
    const [inline, ...others] = wordsOfEach("script:not([type='application/ld+json'], [type=speculationrules])");
    expect(inline).toMatch(/^addEventListener\("scroll".*"data-scrolled",scrollY>10\)/);
    expect(others).toEqual([]);
    expect(body).not.toMatch(/<script[^>]* src=|__remix|modulepreload/);
    const rules = JSON.parse(wordsOfEach("script[type=speculationrules]")[0] ?? "{}");
    expect(rules.prerender[0].where.and[1].not.href_matches).toContain("/subscription*");
    expect(document.querySelector("form, input, button:not([popovertarget])")).toBeNull();
    expect(upstream.calls).toEqual([]);
  });
});

test("the form is valid HTML with errors too", async () => {
  const { status, body } = await visitor.post("email=nobody&phone=1");
  expect([status, await htmlProblems(body)]).toEqual([422, []]);
});

const CLOSING = [
  "start a free trial: /pricing#plans",
  `Contact Sales for brands: ${SALES}?subject=AI%20search%20visibility%20for%20our%20brand`,
  `Contact Sales for agencies: ${SALES}?subject=AI%20search%20visibility%20for%20our%20agency`,
];
test.each([
  [
    "/",
    ...["Get Started: /pricing", "Learn More: #features", `Source: Gartner: ${RESEARCH_URL}`],
    ...[`Source: Gartner, press release, December 14, 2023: ${RESEARCH_URL}`, ...CLOSING],
  ],
  [
    "/pricing",
    ...[`Start free trial: ${MINI}`, `Start free trial: ${LITE}`, `Start free trial: ${STANDARD}`],
    ...[`Contact Sales: ${SALES}?subject=Enterprise%2FAgency%20plan`, `Contact support: ${SUPPORT}`],
    ...[`customer portal: ${PORTAL}`, ...CLOSING],
  ],
  [UNKNOWN, "Return to Home: /"],
])("the links of %s in its main part are in order", async (path, ...links) => {
  expect((await open(path)).links("main a").map((link) => link.join(": "))).toEqual(links);
});

const SEARCH = "ChatGPT, Perplexity";
const ALL_PLATFORMS = `${SEARCH}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;
const HERO = "section[aria-labelledby=hero]";
const FUTURE = "section[aria-labelledby=future]";
const SUITE = "section[aria-labelledby=suite]";
const FAQ = "section[aria-labelledby=faq]";
const TRIAL = "section[aria-labelledby=trial]";
const LAST = "The next answer is being written. Be in it.";
const HEADINGS = ["How the free trial works", "What a content brief looks like", "FAQ", LAST];
const trialUntil = (ending: string) => [
  "Today $0. We save your card but don’t charge it.",
  "Day 4 We email you a reminder, 2 days before the trial ends.",
  `Day 6 ${ending}`,
];
const charged = (amount: string) => trialUntil(`First charge: ${amount}, then the same every month until you cancel.`);

test.each<[path: string, selector: string, says: string[] | RegExp]>([
  ["/", "main > section:last-child h2", [LAST]],
  ["/", "#features h3", ["AI Search Visibility", "Competitive Analysis", "Automated Content Optimization"]],
  ["/", `${SUITE} h3`, ["Prompt generation", "Monitoring", "Actions"]],
  ["/", `${FUTURE} strong`, ["50%+", "79%", "70%"]],
  ["/", "table.platforms tbody th", ["MINI, LITE", "STANDARD", "ENTERPRISE/AGENCY"]],
  ["/", "table.platforms tbody td", [SEARCH, `${SEARCH}, Google AI Overviews`, ALL_PLATFORMS]],
  ["/", "figure .badge", ["Example"]],
  ["/pricing", "main section h2:not(#plans h2)", HEADINGS],
  ["/pricing", ".brief .badge", ["Example"]],
  ["/pricing", `${TRIAL} li`, charged("your plan’s price")],
  [STANDARD, `${TRIAL} li`, charged("$500")],
  [CUSTOM, `${TRIAL} li`, charged("the price you agreed with us")],
  ["/subscription", `${TRIAL} li`, trialUntil("Your trial ends. Without a plan, you pay nothing.")],
  [UNKNOWN, "main", /^404Oops!.+ It may have been mistyped, or the page has moved/],
  ["/", HERO, /for brands and agencies/],
  ["/", HERO, /From \$100 a month\. No charge for 5 days\. Cancel anytime\./],
  ["/", "aside", /AI search will cut organic traffic by 50% or more by 2028\./],
  ["/", SUITE, /Synthetic prompts built from your keywords and targeted by persona/],
  ["/", SUITE, /One dashboard for your AI visibility metrics and the content gaps/],
  ["/", SUITE, /Content briefs that are ready for AI search\. A brief says what to write/],
  ["/", FUTURE, /^Future of Search.*50%\+ Forecast drop in organic traffic by 2028, as consumers embrace generative/],
  ["/", FUTURE, /79% of consumers expected, in August 2023, to use AI-enhanced search within the next year\.70% of/],
  ["/", FUTURE, /70% of consumers had at least some trust in the results .+Survey of 299 consumers, August 2023\./],
  ["/", FUTURE, /“CMOs must prepare for the disruption that GenAI-backed search will bring to their organic search/],
  ["/", FUTURE, /organic search strategies\.”Gartner, the analyst firm$/],
  ["/", "section[aria-labelledby=closing]", new RegExp(`Write to ${company.salesEmail}, or start a free trial\\.`)],
  ["/pricing", FAQ, /\?Reports are generated monthly, with real-time monitoring on the dashboard\./],
  ["/pricing", FAQ, /\?Yes\. You can upgrade at any time, and the price difference is prorated\./],
  ["/pricing", FAQ, /To downgrade, contact support/],
  ["/pricing", FAQ, /All plans include email support\. Standard adds chat support\. Enterprise adds dedicated support/],
  ["/pricing", FAQ, /and training\.How am I billed\?All plans are billed monthly in U\.S\. dollars, and invoices/],
  ["/pricing", FAQ, /dollars, and invoices are due within 30 days\./],
  ["/pricing", FAQ, /\?Yes\. Every plan has unlimited domains and seats\./],
  ["/pricing", FAQ, /\?You can cancel at any time, including during the trial: through your account settings, or in/],
  ["/pricing", FAQ, /Fees already paid are not refunded, except as stated in our Terms/],
  ["/pricing", TRIAL, /If you cancel before the first charge, you pay nothing\./],
  ["/pricing", TRIAL, /monitoring runs during your trial\. Reports are monthly, so your first one comes after it\./],
  [STANDARD, TRIAL, /To cancel before the first charge, use your account settings, or log in to the customer portal/],
])("%s says in %s: %s", async (path, selector, says) => {
  const { words, wordsOfEach } = await open(path);
  if (says instanceof RegExp) expect(words(selector)).toMatch(says);
  else expect(wordsOfEach(selector)).toEqual(says);
});

test("the drawings of home have titles, and words that text browsers separate", async () => {
  const { document, wordsOfEach, words } = await open("/");
  const titles = new Set(wordsOfEach("main svg[role=img] > title:first-child"));
  expect([titles.size, document.querySelectorAll("main svg[role=img]").length]).toEqual([10, 10]);
  const texts = [...document.querySelectorAll("svg text")];
  expect(texts.filter((text) => !/^\s/.test(text.nextSibling?.textContent ?? ""))).toEqual([]);
  expect(words()).not.toMatch(/placeholder|your brand name|competitor [A-Z]\b|lorem/i);
});
