import { HtmlValidate } from "html-validate";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The public pages as documents: what each of them has, and each fact that they must state. */

const RESEARCH_URL = "https://research.test/ai-search";
const CONSOLE_URL = "https://console.test";
const publicPaths = ["/", "/pricing", "/privacy", "/terms", "/security"];
const allPaths = [...publicPaths, "/nothing-here"];
const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

const { upstream, visitor, dispose } = await startVisitedSite({
  vars: { RESEARCH_URL, CONSOLE_URL, SALES_EMAIL: "sales@brand.test", SUPPORT_EMAIL: "support@brand.test" },
});
afterAll(dispose);
const open = pageReader(visitor);

/** The targets of links, in order. */
async function hrefsOn(path: string, selector: string): Promise<(string | null)[]> {
  const { document } = await open(path);
  return [...document.querySelectorAll(selector)].map((link) => link.getAttribute("href"));
}

describe("every page", () => {
  test.each([...allPaths, "/subscription", PLAN])(
    "%s has the site's header and footer, from the settings",
    async (path) => {
      const { wordsOfEach, words, document } = await open(path);
      const isSignUp = path.startsWith("/subscription");
      const trial = isSignUp ? [] : ["Start free trial"];
      expect(await hrefsOn(path, "header > div > a:has(svg)")).toEqual(["/"]);
      expect(wordsOfEach("header nav li")).toEqual(["Home", "Pricing", "Customer Console", ...trial]);
      const navigation = ["/", "/pricing", CONSOLE_URL, ...(isSignUp ? [] : ["/pricing#plans"])];
      expect(await hrefsOn(path, "header nav a")).toEqual(navigation);
      expect(wordsOfEach("header .btn-primary")).toEqual(trial);
      expect(wordsOfEach("header [aria-current=page]")).toEqual({ "/": ["Home"], "/pricing": ["Pricing"] }[path] ?? []);
      const footer = [...document.querySelectorAll("footer a")].map((link) => [
        link.textContent,
        link.getAttribute("href"),
      ]);
      expect(Object.fromEntries(footer)).toEqual({
        Pricing: "/pricing",
        "Contact Sales": "mailto:sales@brand.test",
        "Contact Support": "mailto:support@brand.test",
        "Privacy Policy": "/privacy",
        "Terms & Conditions": "/terms",
        Security: "/security",
      });
      expect(words("footer")).toContain(`© ${new Date().getUTCFullYear()}`);
      expect(await hrefsOn(path, "body > a")).toEqual(["#main"]);
    },
  );

  test.each(allPaths)("%s is valid HTML with a target for each anchor, and has no framework script", async (path) => {
    const { body, document } = await open(path);
    expect(await htmlProblems(body)).toEqual([]);
    for (const anchor of document.querySelectorAll("a[href^='#']")) {
      expect(document.getElementById(anchor.getAttribute("href")?.slice(1) ?? ""), anchor.outerHTML).not.toBeNull();
    }
    const scripts = [...document.querySelectorAll("script:not([type='application/ld+json'], [type=speculationrules])")];
    expect(scripts.map(({ textContent }) => (textContent?.length ?? 0) < 250)).toEqual([true]);
    expect(body).not.toMatch(/<script[^>]* src=|__remix|modulepreload/);
    const [rules] = [...document.querySelectorAll("script[type=speculationrules]")];
    expect(JSON.parse(rules?.textContent ?? "{}").prerender[0].where.and[1].not.href_matches).toContain(
      "/subscription*",
    );
  });

  test("of the sign-up is valid HTML, empty and with errors", async () => {
    const refused = await visitor.post("email=nobody&phone=1");
    expect(refused.status).toBe(422);
    for (const body of [refused.body, (await visitor.get("/subscription")).body]) {
      expect(await htmlProblems(body)).toEqual([]);
    }
  });

  test("has internal links that lead to a page", async () => {
    const links = await Promise.all(allPaths.map((path) => hrefsOn(path, "a[href^='/'], link[href^='/']")));
    const unique = new Set(links.flat().map((link) => link?.split("#")[0] ?? ""));
    expect(unique.size).toBeGreaterThan(10);
    for (const link of unique) expect((await visitor.get(link)).status, link).toBe(200);
  });

  test.each(publicPaths)("%s calls no backend, and its buttons open a page or an email", async (path) => {
    const { document, headers } = await open(path);
    expect(headers.get("Content-Security-Policy")).toContain("; connect-src 'self';");
    expect(document.querySelectorAll("form, input:not([type=radio]), select, textarea")).toHaveLength(0);
    expect(document.querySelectorAll("button:not([popovertarget])")).toHaveLength(0);
    const buttons = await hrefsOn(path, "a.btn");
    expect(buttons.length).toBeGreaterThan(0);
    for (const href of buttons) expect(href).toMatch(/^(\/|#|https:\/\/|mailto:)/);
    expect(upstream.calls).toEqual([]);
  });
});

const SEARCH = "ChatGPT, Perplexity";
const ALL_PLATFORMS = `${SEARCH}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;
const NO_SPECIALIST = "Not included: Dedicated GEO specialist";
const FUTURE = "section[aria-labelledby=future]";
const SUITE = "section[aria-labelledby=suite]";
const FAQ = "section[aria-labelledby=faq]";
const TRIAL = "section[aria-labelledby=trial]";
const TRIAL_DAYS = [
  "Today $0. We save your card but don’t charge it.",
  "Day 4 We email you a reminder, 2 days before the trial ends.",
];
const THEN = "then the same every month until you cancel.";

test.each<[path: string, selector: string, fact: string | RegExp]>([
  ["/", "h1", /brand.*AI search/i],
  ["/pricing", "h1", /pricing/i],
  ["/privacy", "h1", /^Privacy Policy$/],
  ["/terms", "h1", /^Terms & Conditions$/],
  ["/security", "h1", /^Security$/],
  ["/subscription", "h1", /^Complete Your Subscription$/],
  [PLAN, "h1", /^Complete Your Subscription$/],
  ["/nothing-here", "h1", /^Oops! Page not found$/],
  ["/nothing-here", "main", /404.+It may have been mistyped.+Return to Home/],
  ["/", "section[aria-labelledby=hero]", "for brands and agencies"],
  ["/", "section[aria-labelledby=hero]", "From $100 a month. No charge for 5 days. Cancel anytime."],
  ["/", "aside", "AI search will cut organic traffic by 50% or more by 2028."],
  ["/", "aside a", /^Source: Gartner$/],
  ["/", "#features", "Visibility is the share of tracked answers that name your brand."],
  ...["ChatGPT", "Perplexity", "Gemini", "Google AI Overviews", "DeepSeek"].map((engine): [string, string, string] => {
    return ["/", "main", engine];
  }),
  ["/", "main", "DeepSeek tracking is available on request."],
  ["/", "main", "AI Overviews are the summaries above Google’s results; in AI Mode, Google answers"],
  ["/", "main", "A brief says what to write"],
  ["/", "figure .badge", /^Example$/],
  ["/", SUITE, /synthetic prompts.*keywords.*persona/i],
  ["/", SUITE, /dashboard.*AI visibility metrics.*content gaps/i],
  ["/", SUITE, /content briefs.*ready for AI search/i],
  ["/", FUTURE, "Future of Search"],
  ["/", FUTURE, "50%+ Forecast drop in organic traffic by 2028"],
  ["/", FUTURE, /79% of consumers expected.*70% of consumers had at least some trust/],
  ["/", FUTURE, "Survey of 299 consumers, August 2023."],
  ["/", `${FUTURE} a`, /^Source: Gartner, press release, December 14, 2023$/],
  ["/", `${FUTURE} blockquote`, /^“CMOs must prepare for the disruption.*organic search strategies.”$/],
  ["/", `${FUTURE} figcaption`, /^Gartner, the analyst firm$/],
  ["/", "section[aria-labelledby=closing]", "Write to sales@brand.test, or start a free trial."],
  ["/pricing", "section[aria-labelledby=closing]", "Write to sales@brand.test, or start a free trial."],
  ["/pricing", ".picker legend", /^How many prompts do you track\?$/],
  ["/pricing", FAQ, "Reports are generated monthly, with real-time monitoring on the dashboard"],
  ["/pricing", FAQ, "upgrade at any time, and the price difference is prorated"],
  ["/pricing", FAQ, "All plans include email support. Standard adds chat support. Enterprise adds dedicated support"],
  ["/pricing", FAQ, /After 5 days your paid plan begins/],
  ["/pricing", FAQ, /cancel before then, you pay nothing.*including during the trial/],
  ["/pricing", FAQ, /To downgrade, contact support/],
  ["/pricing", FAQ, /encrypted in transit.*Card details go straight to our payment provider/],
  ["/pricing", FAQ, "STANDARD adds Google AI Overviews; ENTERPRISE/AGENCY adds Claude, Google AI Mode, Gemini"],
  ["/pricing", "details a", /^customer portal$/],
  ...["/pricing", PLAN].flatMap((path): [string, string, string][] => [
    [
      path,
      TRIAL,
      "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it.",
    ],
    [path, TRIAL, "To cancel before the first charge, use your account settings, or log in to the customer portal"],
  ]),
])("%s says in %s: %s", async (path, selector, fact) => {
  const { words } = await open(path);
  if (typeof fact === "string") expect(words(selector)).toContain(fact);
  else expect(words(selector)).toMatch(fact);
});

test.each<[path: string, selector: string, list: string[]]>([
  ["/", "#features h3", ["AI Search Visibility", "Competitive Analysis", "Automated Content Optimization"]],
  ["/", `${SUITE} h3`, ["Prompt generation", "Monitoring", "Actions"]],
  [
    "/",
    "table tbody :is(th, td)",
    ["MINI, LITE", SEARCH, "STANDARD", `${SEARCH}, Google AI Overviews`, "ENTERPRISE/AGENCY", ALL_PLATFORMS],
  ],
  [
    "/pricing",
    "main section h2:not(article h2)",
    [
      ...["How the free trial works", "What you get", "Compare the plans", "FAQ", "What the words mean"],
      "The next answer is being written. Be in it.",
    ],
  ],
  ["/pricing", `${TRIAL} li`, [...TRIAL_DAYS, `Day 6 First charge: your plan’s price, ${THEN}`]],
  [PLAN, `${TRIAL} li`, [...TRIAL_DAYS, `Day 6 First charge: $500, ${THEN}`]],
  ["/pricing", "article h2", ["MINI", "LITE", "STANDARD", "ENTERPRISE/AGENCY"]],
  ["/pricing", ".plan-highlighted h2", ["STANDARD"]],
  ["/pricing", "article:last-of-type a", ["Contact Sales"]],
  ["/pricing", ".picker label", ["Up to 50", "51 to 100", "101 to 600", "More than 600"]],
  ["/pricing", ".sample .badge", ["Example", "Example"]],
  [
    "/pricing",
    "section[aria-labelledby=glossary] strong",
    ["GEO:", "AI Overviews:", "AI Mode:", "Brief:", "Piece:", "Forward-deployed engineer:"],
  ],
])("%s lists as %s: %j", async (path, selector, list) => {
  expect((await open(path)).wordsOfEach(selector)).toEqual(list);
});

test.each<[path: string, selector: string, hrefs: unknown[]]>([
  ["/", "section[aria-labelledby=hero] a.btn", ["/pricing", "#features"]],
  ["/", "aside a", [RESEARCH_URL]],
  ["/", `${FUTURE} a`, [RESEARCH_URL]],
  ["/pricing", "details a", ["http://localhost:8789/p/login/test"]],
  [
    "/pricing",
    "article a",
    [
      "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
      "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
      PLAN,
      expect.stringMatching(/^mailto:sales@brand\.test/),
    ],
  ],
  ...["/", "/pricing"].map((path): [string, string, unknown[]] => {
    const mail = expect.stringMatching(/^mailto:sales@brand\.test/);
    return [path, "main section:last-of-type[aria-labelledby=closing] a", ["/pricing#plans", mail, mail]];
  }),
  ["/nothing-here", "main a", ["/"]],
])("the links of %s in %s lead to %j", async (path, selector, hrefs) => {
  expect(await hrefsOn(path, selector)).toEqual(hrefs);
});

const paid = (platforms: string, [prompts, each]: [string, string], briefs: string, specialist: string) => [
  `Platforms: ${platforms}`,
  "Domains: Unlimited",
  `Prompts tracked: ${prompts}`,
  `Price per prompt: ${each} a month`,
  `Briefs / pieces: ${briefs} a month`,
  ...["Export: CSV/JSON", "Seats: Unlimited", "Support: Email"],
  specialist,
];
const charged = (price: number) => `No charge for 5 days, then $${price}/month. Cancel anytime.`;

test.each<[key: string, price: string, badge: boolean, charge: string, fits: RegExp, features: string[]]>([
  [
    "mini",
    "$100 a month",
    true,
    charged(100),
    /^MINI fits: 50 prompts for \$100 a month\. Each costs \$2\.00\.$/,
    paid(SEARCH, ["50", "$2.00"], "5 / 5", NO_SPECIALIST),
  ],
  [
    "lite",
    "$200 a month",
    true,
    charged(200),
    /^LITE fits: 100 prompts for \$200 a month\. Each costs \$2\.00\.$/,
    paid(SEARCH, ["100", "$2.00"], "10 / 10", NO_SPECIALIST),
  ],
  [
    "standard",
    "$500 a month",
    true,
    charged(500),
    /^STANDARD fits: 600 prompts for \$500 a month\. Each costs \$0\.83, 58% less than with LITE\.$/,
    paid(`${SEARCH}, Google AI Overviews`, ["600", "$0.83"], "30 / 30", "Dedicated GEO specialist"),
  ],
  [
    "enterprise",
    "Price on request",
    false,
    "",
    /^ENTERPRISE\/AGENCY fits: custom prompts, with a price on request\.$/,
    [
      "Everything in STANDARD",
      `Platforms: ${ALL_PLATFORMS}`,
      "Prompts tracked: Custom prompts",
      "Integrations: Your search console, your analytics tool, and two hosting and edge providers",
      "Support: Dedicated specialist and a forward-deployed engineer",
    ],
  ],
])(
  "the card of %s has its price, %s, and every cell of the plan table",
  async (key, price, badge, charge, fits, features) => {
    const { document, words, wordsOfEach } = await open("/pricing");
    const card = `article[aria-labelledby=plan-${key}]`;
    expect(wordsOfEach(`${card} li`)).toEqual(features);
    expect(words(card)).toContain(price);
    expect(words(card)).toContain(charge);
    expect(words(card).includes("5-day free trial")).toBe(badge);
    const radios = [...document.querySelectorAll(".picker input")];
    const fitting = radios.map((radio) => words(`#${radio.getAttribute("aria-describedby")}`));
    expect(fitting.filter((answer) => fits.test(answer))).toHaveLength(1);
  },
);

test("the drawings of home have titles, and words that text browsers separate, of a brand marked as invented", async () => {
  const { document, words } = await open("/");
  const drawings = [...document.querySelectorAll("main svg[role=img] > title:first-child")];
  const titles = new Set(drawings.map(({ textContent }) => textContent ?? ""));
  expect(titles.size).toBe(document.querySelectorAll("main svg[role=img]").length);
  for (const title of titles) expect(title.length).toBeGreaterThan(30);
  const texts = [...document.querySelectorAll("svg text")];
  expect(texts.filter((text) => !/^\s/.test(text.nextSibling?.textContent ?? ""))).toEqual([]);
  expect(words()).not.toMatch(/placeholder|your brand name|competitor [A-Z]\b|lorem/i);
});

test("the example export's CSV, JSON and rows have the same answers", async () => {
  const { wordsOfEach } = await open("/pricing");
  const links = await hrefsOn("/pricing", "a[download]");
  const [csv = "", json = ""] = await Promise.all(links.map(async (path) => (await visitor.get(path ?? "")).body));
  const answer = z.object({ prompt: z.string(), platform: z.string(), named: z.boolean() });
  const { brand, answers } = z.object({ brand: z.string(), answers: z.array(answer) }).parse(JSON.parse(json));
  const rows = answers.map(({ prompt, platform, named }) => [prompt, platform, named].join());
  expect(rows).toHaveLength(10);
  expect(csv.trim().split("\r\n").slice(1)).toEqual(rows.map((row) => `Example,${brand},${row}`));
  expect(wordsOfEach(".sample tr:not(:has(th))")).toEqual(rows.slice(0, 6).map((row) => row.replaceAll(",", "")));
});

/** What html-validate finds against the HTML standard. */
async function htmlProblems(html: string): Promise<string[]> {
  const validator = new HtmlValidate({
    extends: ["html-validate:standard", "html-validate:a11y"],
    rules: { "heading-level": "error", "no-missing-references": "error" },
  });
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}
