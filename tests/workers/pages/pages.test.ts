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

test.each([
  ["/", /brand.*AI search/i],
  ["/pricing", /pricing/i],
  ["/privacy", /^Privacy Policy$/],
  ["/terms", /^Terms & Conditions$/],
  ["/security", /^Security$/],
  ["/subscription", /^Complete Your Subscription$/],
  [PLAN, /^Complete Your Subscription$/],
])("%s gives 200 and its page to every client [R1]", async (path, heading) => {
  const { status, words } = await open(path);
  expect(status).toBe(200);
  expect(words("h1")).toMatch(heading);
});

test("text browsers separate the words in drawings", async () => {
  const { document } = await open("/");
  const texts = [...document.querySelectorAll("svg text")];
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.filter((text) => !/^\s/.test(text.nextSibling?.textContent ?? ""))).toEqual([]);
});

test.each([...publicPaths, PLAN])("%s mentions no tax if Stripe Tax adds none [P16]", async (path) => {
  expect((await open(path)).words()).not.toMatch(/\btax/i);
});

test.each([...allPaths, "/subscription", PLAN])(
  "%s has the header and the footer of the site, from the configuration [R4] [R7] [R9]",
  async (path) => {
    const { document, wordsOfEach, words } = await open(path);
    const hrefs = (selector: string) =>
      [...document.querySelectorAll(selector)].map((link) => link.getAttribute("href"));

    expect(hrefs("header > div > a")).toEqual(["/"]);
    expect(document.querySelector("header > div > a svg")).not.toBeNull();
    const isSignUp = path.startsWith("/subscription");
    const trial = isSignUp ? [] : ["Start free trial"];
    expect(wordsOfEach("header nav li")).toEqual(["Home", "Pricing", "Customer Console", ...trial]);
    expect(hrefs("header nav a")).toEqual(["/", "/pricing", CONSOLE_URL, ...(isSignUp ? [] : ["/pricing#plans"])]);
    expect(wordsOfEach("header nav .btn")).toEqual(["Customer Console", ...trial]);
    expect(wordsOfEach("header .btn-primary")).toEqual(trial);
    const own = { "/": ["Home"], "/pricing": ["Pricing"] }[path] ?? [];
    expect(wordsOfEach("header [aria-current=page]")).toEqual(own);
    expect(Object.fromEntries(wordsOfEach("footer a").map((text, index) => [text, hrefs("footer a")[index]]))).toEqual({
      Pricing: "/pricing",
      "Contact Sales": "mailto:sales@brand.test",
      "Contact Support": "mailto:support@brand.test",
      "Privacy Policy": "/privacy",
      "Terms & Conditions": "/terms",
      Security: "/security",
    });
    expect(words("footer")).toContain(`© ${new Date().getUTCFullYear()}`);
    expect(hrefs("body > a")).toEqual(["#main"]);
  },
);

describe.each(allPaths)("%s", (path) => {
  test("has no framework script, only the scroll state and data", async () => {
    const { document, body } = await open(path);
    const scripts = [...document.querySelectorAll("script")];
    expect(scripts.filter(({ src }) => src !== "")).toEqual([]);
    const programs = scripts.filter(({ type }) => !["application/ld+json", "speculationrules"].includes(type));
    expect(programs).toHaveLength(1);
    expect(programs[0]?.textContent?.length).toBeLessThan(250);
    expect(body).not.toMatch(/__remix|modulepreload/);
  });

  test("is valid HTML, with headings in order and a target for each anchor and reference", async () => {
    const { body, document } = await open(path);
    expect(await htmlProblems(body)).toEqual([]);
    for (const anchor of document.querySelectorAll("a[href^='#']")) {
      expect(document.getElementById(anchor.getAttribute("href")?.slice(1) ?? ""), anchor.outerHTML).not.toBeNull();
    }
  });
});

test("every internal link of the public pages leads to a page", async () => {
  const links = new Set<string>();
  for (const path of allPaths) {
    const { document } = await open(path);
    for (const link of document.querySelectorAll("a[href^='/'], link[href^='/']")) {
      links.add(link.getAttribute("href") ?? "");
    }
  }
  expect(links.size).toBeGreaterThan(10);
  for (const link of links) expect((await visitor.get(link.split("#")[0] ?? "")).status, link).toBe(200);
});

test("the public pages call no backend, and their buttons open a page or an email [P12]", async () => {
  for (const path of publicPaths) {
    const { document, headers } = await open(path);
    const policy = headers.get("Content-Security-Policy");
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy, "no script may connect to another site").toContain("; connect-src 'self';");
    expect(document.querySelectorAll("form, input:not([type=radio]), select, textarea")).toHaveLength(0);
    for (const button of document.querySelectorAll("button")) expect(button.hasAttribute("popovertarget")).toBe(true);
    const buttons = [...document.querySelectorAll("a.btn")];
    expect(buttons.length).toBeGreaterThan(0);
    for (const button of buttons) expect(button.getAttribute("href")).toMatch(/^(\/|#|https:\/\/|mailto:)/);
  }
  expect(upstream.calls).toEqual([]);
});

describe("home", () => {
  test("opens with the headline, the two buttons and the statistic with its source [P1] [P2]", async () => {
    const { document, words } = await open("/");
    expect(words("h1")).toMatch(/brand.*AI search/i);
    const links = new Map(
      [...document.querySelectorAll("main a")].map((link) => [link.textContent?.trim(), link.getAttribute("href")]),
    );
    expect(links.get("Get Started")).toBe("/pricing");
    expect(links.get("Learn More")).toBe("#features");
    expect(words("#features")).toContain("AI Search Visibility");
    expect(words("aside")).toContain("AI search will cut organic traffic by 50% or more by 2028.");
    expect(words("aside a")).toBe("Source: Gartner");
    expect(document.querySelector("aside a")?.getAttribute("href")).toBe(RESEARCH_URL);
  });

  test("names the engines, the three features and the three product areas [P3] [P5]", async () => {
    const { document, words, wordsOfEach } = await open("/");
    const pitch = document.querySelector("meta[name=description]")?.getAttribute("content");
    for (const engine of ["ChatGPT", "Perplexity", "Gemini", "Google AI Overviews", "DeepSeek"]) {
      expect(words()).toContain(engine);
      expect(pitch).toContain(engine);
    }
    expect(pitch).toContain("Platforms vary by plan.");
    expect(wordsOfEach("#features h3")).toEqual([
      "AI Search Visibility",
      "Competitive Analysis",
      "Automated Content Optimization",
    ]);
    expect(wordsOfEach("section[aria-labelledby=suite] h3")).toEqual(["Prompt generation", "Monitoring", "Actions"]);
    const suite = words("section[aria-labelledby=suite]");
    expect(suite).toMatch(/synthetic prompts.*keywords.*persona/i);
    expect(suite).toMatch(/dashboard.*AI visibility metrics.*content gaps/i);
    expect(suite).toMatch(/content briefs.*ready for AI search/i);
  });

  test("names its audience, the starting price and the 5 days without a charge [P13]", async () => {
    const { words } = await open("/");
    const hero = words("section[aria-labelledby=hero]");
    expect(hero).toContain("for brands and agencies");
    expect(hero).toContain("From $100 a month. No charge for 5 days. Cancel anytime.");
  });

  test("shows the product in titled drawings of a brand marked as invented [P17]", async () => {
    const { document, words, wordsOfEach } = await open("/");
    const drawings = [...document.querySelectorAll("main svg[role=img]")];
    expect(drawings.length).toBeGreaterThan(8);
    for (const drawing of drawings) expect(drawing.firstElementChild?.tagName).toBe("title");
    const titles = drawings.map((drawing) => drawing.firstElementChild?.textContent ?? "");
    for (const title of titles) expect(title.length).toBeGreaterThan(30);
    expect(new Set(titles).size).toBe(titles.length);

    expect(words("figure .badge")).toBe("Example");
    expect(words("#features")).toContain("Visibility is the share of tracked answers that name your brand.");
    expect(words()).not.toMatch(/placeholder|your brand name|competitor [A-Z]\b|lorem/i);
    for (const [, painted] of wordsOfEach("style")
      .join()
      .matchAll(/[{;]content:\s*([^;}]*)/g)) {
      expect(painted).not.toMatch(/attr\(|[a-z]{2}/i);
    }
  });

  test("shows the future of search in three figures with their meaning, their source and a quote [P4]", async () => {
    const { document, words, wordsOfEach } = await open("/");
    const section = "section[aria-labelledby=future]";
    expect(words(section)).toContain("Future of Search");
    expect(wordsOfEach(`${section} li p`)).toEqual([
      "50%+ Forecast drop in organic traffic by 2028, as consumers embrace generative AI-powered search.",
      "79% of consumers expected, in August 2023, to use AI-enhanced search within the next year.",
      "70% of consumers had at least some trust in the results of AI-enhanced search in August 2023.",
    ]);
    expect(words(section)).toContain("Survey of 299 consumers, August 2023.");
    expect(words(`${section} a`)).toBe("Source: Gartner, press release, December 14, 2023");
    expect(document.querySelector(`${section} a`)?.getAttribute("href")).toBe(RESEARCH_URL);
    expect(words(`${section} blockquote`)).toBe(
      "“CMOs must prepare for the disruption that GenAI-backed search will bring to their organic search strategies.”",
    );
    expect(words(`${section} figcaption`)).toBe("Gartner, the analyst firm");
  });

  test.each(["/", "/pricing"])("%s closes with a call to action [P6]", async (path) => {
    const { document } = await open(path);
    const [closing] = [...document.querySelectorAll("main section")].slice(-1);
    expect(closing?.getAttribute("aria-labelledby")).toBe("closing");
    const links = [...(closing?.querySelectorAll("a") ?? [])];
    expect(closing?.textContent).toContain("Write to sales@brand.test, or start a free trial.");
    expect(links.shift()?.getAttribute("href")).toBe("/pricing#plans");
    expect(links).toHaveLength(2);
    for (const link of links) {
      expect(link.textContent).toMatch(/^Contact Sales/);
      expect(link.getAttribute("href")).toMatch(/^mailto:sales@brand\.test/);
    }
  });
});

describe("pricing", () => {
  const SEARCH = "ChatGPT, Perplexity";
  const NO_SPECIALIST = "Not included: Dedicated GEO specialist";
  const paid = (platforms: string, [prompts, each]: [string, string], briefs: string, specialist: string) => [
    `Platforms: ${platforms}`,
    "Domains: Unlimited",
    `Prompts tracked: ${prompts}`,
    `Price per prompt: ${each} a month`,
    `Briefs / pieces: ${briefs} a month`,
    "Export: CSV/JSON",
    "Seats: Unlimited",
    "Support: Email",
    specialist,
  ];
  const cards = [
    {
      key: "mini",
      title: "MINI",
      price: "$100 a month",
      features: paid(SEARCH, ["50", "$2.00"], "5 / 5", NO_SPECIALIST),
    },
    {
      key: "lite",
      title: "LITE",
      price: "$200 a month",
      features: paid(SEARCH, ["100", "$2.00"], "10 / 10", NO_SPECIALIST),
    },
    {
      key: "standard",
      title: "STANDARD",
      price: "$500 a month",
      features: paid(`${SEARCH}, Google AI Overviews`, ["600", "$0.83"], "30 / 30", "Dedicated GEO specialist"),
    },
    {
      key: "enterprise",
      title: "ENTERPRISE/AGENCY",
      price: "Price on request",
      features: [
        "Everything in STANDARD",
        "Platforms: ChatGPT, Perplexity, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok",
        "Prompts tracked: Custom prompts",
        "Integrations: Your search console, your analytics tool, and two hosting and edge providers",
        "Support: Dedicated specialist and a forward-deployed engineer",
      ],
    },
  ];

  test.each(cards)("$title has every cell of the plan table [P7]", async ({ key, title, price, features }) => {
    const { words, wordsOfEach } = await open("/pricing");
    expect(wordsOfEach("article h2")).toEqual(cards.map((plan) => plan.title));
    const card = `article[aria-labelledby=plan-${key}]`;
    expect(words(`${card} h2`)).toBe(title);
    expect(words(card)).toContain(price);
    expect(wordsOfEach(`${card} li`)).toEqual(features);
  });

  test("names the same platforms for each plan on home, on its card, in the table and in the questions [P14]", async () => {
    const home = await open("/");
    const { words, wordsOfEach } = await open("/pricing");
    const all = `${SEARCH}, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok`;
    expect(home.wordsOfEach("table tbody :is(th, td)")).toEqual([
      ...["MINI, LITE", SEARCH],
      ...["STANDARD", `${SEARCH}, Google AI Overviews`],
      ...["ENTERPRISE/AGENCY", all],
    ]);
    expect(home.words()).toContain("DeepSeek tracking is available on request.");
    expect(words()).not.toContain("DeepSeek");
    expect(wordsOfEach("tr:has(th[scope=row]:not(:empty))")).toContain(
      `Platforms${SEARCH}${SEARCH}${SEARCH}, Google AI Overviews${all}`,
    );
    expect(words("section[aria-labelledby=faq]")).toContain(
      "STANDARD adds Google AI Overviews; ENTERPRISE/AGENCY adds Claude, Google AI Mode, Gemini, Microsoft Copilot and Grok.",
    );
  });

  test("asks how many prompts are tracked, and each answer is a plan with its price per prompt [P19]", async () => {
    const { document, words, wordsOfEach } = await open("/pricing");
    expect(words(".picker legend")).toBe("How many prompts do you track?");
    expect(wordsOfEach(".picker label")).toEqual(["Up to 50", "51 to 100", "101 to 600", "More than 600"]);
    const radios = [...document.querySelectorAll(".picker input")];
    const answers = radios.map((radio) => words(`#${radio.getAttribute("aria-describedby")}`));
    expect(answers).toEqual([
      "MINI fits: 50 prompts for $100 a month. Each costs $2.00.",
      "LITE fits: 100 prompts for $200 a month. Each costs $2.00.",
      "STANDARD fits: 600 prompts for $500 a month. Each costs $0.83, 58% less than with LITE.",
      "ENTERPRISE/AGENCY fits: custom prompts, with a price on request.",
    ]);
  });

  test("shows an example brief, and an example export whose CSV, JSON and rows have the same answers [P20]", async () => {
    const { document, wordsOfEach } = await open("/pricing");
    expect(wordsOfEach(".sample .badge")).toEqual(["Example", "Example"]);
    expect(wordsOfEach(".sample:first-child th[scope=row]")).toEqual(
      expect.arrayContaining(["Gap", "Reader", "Format"]),
    );
    const links = [...document.querySelectorAll("a[download]")].map((link) => link.getAttribute("href") ?? "");
    const [csv = "", json = ""] = await Promise.all(links.map(async (path) => (await visitor.get(path)).body));
    const answer = z.object({ prompt: z.string(), platform: z.string(), named: z.boolean() });
    const { brand, answers } = z.object({ brand: z.string(), answers: z.array(answer) }).parse(JSON.parse(json));
    const rows = answers.map(({ prompt, platform, named }) => [prompt, platform, named].join());
    expect(rows).toHaveLength(10);
    expect(csv.trim().split("\r\n").slice(1)).toEqual(rows.map((row) => `Example,${brand},${row}`));
    const shown = wordsOfEach(".sample tr:not(:has(th))");
    expect(shown).toHaveLength(6);
    expect(shown).toEqual(rows.slice(0, 6).map((row) => row.replaceAll(",", "")));
  });

  test("shows the samples before the comparison, and the glossary after the questions", async () => {
    const { wordsOfEach } = await open("/pricing");
    expect(wordsOfEach("main h2").slice(4)).toEqual([
      ...["How the free trial works", "What you get", "Compare the plans", "FAQ", "What the words mean"],
      "The next answer is being written. Be in it.",
    ]);
  });

  test.each([
    ["/pricing", "your plan’s price, then the same every month until you cancel."],
    [PLAN, "$500, then the same every month until you cancel."],
  ])("and the form tell in the same words what the trial is: %s", async (path, charge) => {
    const { words, wordsOfEach } = await open(path);
    const trial = "section[aria-labelledby=trial]";
    expect(wordsOfEach(`${trial} li`)).toEqual([
      "Today $0. We save your card but don’t charge it.",
      "Day 4 We email you a reminder, 2 days before the trial ends.",
      `Day 6 First charge: ${charge}`,
    ]);
    expect(words(`${trial} div`)).toContain(
      "Real-time monitoring runs during your trial. Reports are monthly, so your first one comes after it." +
        "To cancel before the first charge, use your account settings, or log in to the customer portal",
    );
  });

  test("explains its terms, and home those that it names [P21]", async () => {
    const { wordsOfEach } = await open("/pricing");
    expect(wordsOfEach("section[aria-labelledby=glossary] strong")).toEqual([
      ...["GEO:", "AI Overviews:", "AI Mode:", "Brief:", "Piece:", "Forward-deployed engineer:"],
    ]);
    const home = await open("/");
    expect(home.words()).toContain("AI Overviews are the summaries above Google’s results; in AI Mode, Google answers");
    expect(home.words()).toContain("A brief says what to write");
  });

  test("shows under each paid plan when it is charged [P15]", async () => {
    const { words } = await open("/pricing");
    for (const [key, price] of Object.entries({ mini: 100, lite: 200, standard: 500 })) {
      const text = `No charge for 5 days, then $${price}/month. Cancel anytime.`;
      expect(words(`article[aria-labelledby=plan-${key}]`)).toContain(text);
    }
  });

  test("shows the trial badge on every plan except enterprise, and highlights only STANDARD [P8]", async () => {
    const { wordsOfEach } = await open("/pricing");
    const badges = wordsOfEach("article").map((card) => card.includes("5-day free trial"));
    expect(badges).toEqual([true, true, true, false]);
    expect(wordsOfEach(".plan-highlighted h2")).toEqual(["STANDARD"]);
  });

  test("leads from each paid plan to its sign-up, and from the enterprise plan to sales [P9]", async () => {
    const { document, wordsOfEach } = await open("/pricing");
    expect(wordsOfEach("article a").at(-1)).toBe("Contact Sales");
    expect([...document.querySelectorAll("article a")].map((link) => link.getAttribute("href"))).toEqual([
      "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
      "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
      "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
      expect.stringMatching(/^mailto:sales@brand\.test/),
    ]);
  });

  test("answers six questions, the given statements among them [P11]", async () => {
    const { words, wordsOfEach } = await open("/pricing");
    expect(wordsOfEach("details summary")).toHaveLength(6);
    for (const statement of [
      "Reports are generated monthly, with real-time monitoring on the dashboard",
      "upgrade at any time, and the price difference is prorated",
      "All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
    ]) {
      expect(words("section[aria-labelledby=faq]")).toContain(statement);
    }
  });

  test("leads from the question how to cancel to the Customer Portal [T5]", async () => {
    const { document, words } = await open("/pricing");
    expect(words("details a")).toBe("customer portal");
    expect(document.querySelector("details a")?.getAttribute("href")).toBe("http://localhost:8789/p/login/test");
  });

  test.each([
    ["what comes after the trial", /After 5 days your paid plan begins/],
    ["cancelling during the trial", /cancel before then, you pay nothing.*including during the trial/],
    ["a downgrade", /To downgrade, contact support/],
    ["the safety of data", /encrypted in transit.*Card details go straight to our payment provider/],
  ])("answers the question beside its subject: %s [P16]", async (_question, answer) => {
    const { words } = await open("/pricing");
    expect(words("section[aria-labelledby=faq]")).toMatch(answer);
  });
});

describe("the not-found page", () => {
  test("says so, explains, and links to home [R2] [R3]", async () => {
    const { status, words, document } = await open("/nothing-here");
    expect(status).toBe(404);
    expect(words()).toContain("404");
    expect(words("h1")).toBe("Oops! Page not found");
    expect(words("h1 + p").length).toBeGreaterThan(40);
    const home = document.querySelector("main a");
    expect([home?.textContent, home?.getAttribute("href")]).toEqual(["Return to Home", "/"]);
  });

  test("is shown for every other path [R2]", async () => {
    for (const path of ["/home", "/subscriptions", `${PLAN}/card`, "/Pricing/mini", "/index.html"]) {
      expect((await visitor.get(path)).text, path).toContain("Oops! Page not found");
    }
  });
});

test("the sign-up's form is valid HTML, empty and with errors", async () => {
  expect(await htmlProblems((await visitor.get("/subscription")).body)).toEqual([]);
  const refused = await visitor.post("email=nobody&phone=1");
  expect(refused.status).toBe(422);
  expect(await htmlProblems(refused.body)).toEqual([]);
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
