import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getPage } from "../support/page";
import { type RunningWorker, startSite } from "../support/workers";

/*
 * The public pages as documents: what each of them has, and each fact of the specification's sections 2 and 9.
 */

const RESEARCH_URL = "https://research.test/ai-search";
const CONSOLE_URL = "https://console.test";
const publicPaths = ["/", "/pricing", "/privacy", "/terms"];
const allPaths = [...publicPaths, "/nothing-here"];

let site: RunningWorker;

beforeAll(async () => {
  site = await startSite({
    vars: {
      RESEARCH_URL,
      CONSOLE_URL,
      SALES_EMAIL: "sales@brand.test",
      SUPPORT_EMAIL: "support@brand.test",
      LEGAL_EMAIL: "legal@brand.test",
    },
  });
});

afterAll(() => site.dispose());

describe.each(allPaths)("%s", (path) => {
  test("has the header and the footer of the site, from the configuration", async () => {
    const { document, texts, text } = await getPage(site, path);
    const href = (selector: string) => document.querySelector(selector)?.getAttribute("href");

    expect(href("header > div > a")).toBe("/");
    expect(texts("header nav li")).toEqual(["Home", "Pricing", "Customer Console"]);
    expect(href("header nav li:last-child a")).toBe(CONSOLE_URL);
    expect(texts("footer a")).toEqual([
      "Pricing",
      "Contact Sales",
      "Contact Support",
      "Privacy Policy",
      "Terms & Conditions",
    ]);
    expect([...document.querySelectorAll("footer a")].map((link) => link.getAttribute("href"))).toEqual([
      "/pricing",
      "mailto:sales@brand.test",
      "mailto:support@brand.test",
      "/privacy",
      "/terms",
    ]);
    expect(text("footer")).toContain(`© ${new Date().getUTCFullYear()}`);
    expect(document.querySelector("body > a")?.getAttribute("href")).toBe("#main");
  });

  test("marks itself in the menu when it stands there", async () => {
    const { texts } = await getPage(site, path);
    const own = { "/": ["Home"], "/pricing": ["Pricing"] }[path] ?? [];
    expect(texts("header [aria-current=page]")).toEqual(own);
  });

  test("carries no framework script: only the scroll state, and data", async () => {
    const { document, html } = await getPage(site, path);
    const scripts = [...document.querySelectorAll("script")];
    const files = scripts.filter(({ src }) => src !== "");
    // Only what browsers of today pass by.
    expect(files.map((file) => [file.getAttribute("src"), file.hasAttribute("nomodule")])).toEqual([
      ["/legacy.js", true],
    ]);
    const programs = scripts.filter(
      ({ src, type }) => src === "" && !["application/ld+json", "speculationrules"].includes(type),
    );
    expect(programs).toHaveLength(1);
    expect(programs[0]?.textContent?.length).toBeLessThan(250);
    expect(html).not.toMatch(/__remix|modulepreload/);
  });

  test("is valid HTML", async () => {
    expect(await htmlProblems((await getPage(site, path)).html)).toEqual([]);
  });

  test("has one h1 and no gap in its outline", async () => {
    const { document } = await getPage(site, path);
    const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1]));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels[0]).toBe(1);
    for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  test("has no two elements with one id, and an element for each anchor and each reference", async () => {
    const { document } = await getPage(site, path);
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const anchors = [...document.querySelectorAll("a[href^='#']")].map((link) => link.getAttribute("href")?.slice(1));
    const references = [...document.querySelectorAll("[aria-labelledby], [aria-describedby]")].flatMap((element) =>
      `${element.getAttribute("aria-labelledby") ?? ""} ${element.getAttribute("aria-describedby") ?? ""}`
        .split(" ")
        .filter(Boolean),
    );
    for (const id of [...anchors, ...references]) expect(ids).toContain(id);
  });
});

test("every link of the public pages that stays on the site leads to a page", async () => {
  const links = new Set<string>();
  for (const path of allPaths) {
    const { document } = await getPage(site, path);
    for (const link of document.querySelectorAll("a[href^='/'], link[href^='/']")) {
      links.add(link.getAttribute("href") ?? "");
    }
  }
  expect(links.size).toBeGreaterThan(10);
  for (const link of links) {
    const { status } = await getPage(site, link.split("#")[0] ?? "");
    expect(status, link).toBe(200);
  }
});

describe("home", () => {
  test("opens with the headline, the two buttons and the statistic with its source", async () => {
    const { document, text } = await getPage(site, "/");
    expect(text("h1")).toMatch(/brand.*AI search/i);
    const links = new Map(
      [...document.querySelectorAll("main a")].map((link) => [link.textContent?.trim(), link.getAttribute("href")]),
    );
    expect(links.get("Get Started")).toBe("/pricing");
    expect(links.get("Learn More")).toBe("#features");
    expect(text("#features")).toContain("AI Search Visibility");
    expect(text("aside")).toContain("AI search will cut organic traffic by 50% or more by 2028.");
    expect(document.querySelector("aside a")?.getAttribute("href")).toBe(RESEARCH_URL);
  });

  test("names the engines, the three features and the three product areas", async () => {
    const { text, texts } = await getPage(site, "/");
    for (const engine of ["ChatGPT", "Perplexity", "Gemini", "Google AI Overviews", "DeepSeek"]) {
      expect(text()).toContain(engine);
    }
    expect(texts("#features h3")).toEqual([
      "AI Search Visibility",
      "Competitive Analysis",
      "Automated Content Optimization",
    ]);
    expect(texts("section[aria-labelledby=suite] h3")).toEqual(["Prompt generation", "Monitoring", "Actions"]);
    const suite = text("section[aria-labelledby=suite]");
    expect(suite).toMatch(/synthetic prompts.*keywords.*persona/i);
    expect(suite).toMatch(/dashboard.*AI visibility metrics.*content gaps/i);
    expect(suite).toMatch(/content briefs.*ready for AI search/i);
  });

  test("shows the future of search in three figures and a quote", async () => {
    const { document, text, texts } = await getPage(site, "/");
    const section = "section[aria-labelledby=future]";
    expect(text(section)).toContain("Future of Search");
    expect(texts(`${section} li p:first-of-type`)).toEqual(["50%+", "79%", "70%"]);
    expect(text(`${section} blockquote`)).not.toBe("");
    expect(document.querySelector(`${section} a`)?.getAttribute("href")).toBe(RESEARCH_URL);
  });

  test.each(["/", "/pricing"])("%s closes with a call to action", async (path) => {
    const { document } = await getPage(site, path);
    const links = [...document.querySelectorAll("section[aria-labelledby=closing] a")];
    expect(links).toHaveLength(2);
    for (const link of links) {
      expect(link.textContent).toMatch(/^Contact Sales/);
      expect(link.getAttribute("href")).toMatch(/^mailto:sales@brand\.test/);
    }
  });
});

describe("pricing", () => {
  const cards = [
    {
      key: "mini",
      title: "MINI",
      price: "$100 a month",
      features: [
        "Platforms: ChatGPT, Perplexity",
        "Not included: Google AI Overviews",
        "Domains: Unlimited",
        "Prompts tracked: 50",
        "Briefs / pieces: 5 / 5",
        "Export: CSV/JSON",
        "Seats: Unlimited",
        "Support: Email",
        "Not included: Dedicated GEO specialist",
      ],
    },
    {
      key: "lite",
      title: "LITE",
      price: "$200 a month",
      features: [
        "Platforms: ChatGPT, Perplexity",
        "Not included: Google AI Overviews",
        "Domains: Unlimited",
        "Prompts tracked: 100",
        "Briefs / pieces: 10 / 10",
        "Export: CSV/JSON",
        "Seats: Unlimited",
        "Support: Email",
        "Not included: Dedicated GEO specialist",
      ],
    },
    {
      key: "standard",
      title: "STANDARD",
      price: "$500 a month",
      features: [
        "Platforms: ChatGPT, Perplexity",
        "Google AI Overviews",
        "Domains: Unlimited",
        "Prompts tracked: 600",
        "Briefs / pieces: 30 / 30",
        "Export: CSV/JSON",
        "Seats: Unlimited",
        "Support: Email",
        "Dedicated GEO specialist",
      ],
    },
    {
      key: "enterprise",
      title: "ENTERPRISE/AGENCY",
      price: "Price on request",
      features: [
        "Everything in STANDARD",
        "Platforms: ChatGPT, Perplexity, Claude, Google AI Overviews, Google AI Mode, Gemini, Microsoft Copilot, Grok",
        "Prompts tracked: Custom prompts",
        "Integrations: Search console, analytics product, two hosting and edge providers",
        "Support: Dedicated specialist and a forward-deployed engineer",
      ],
    },
  ];

  test.each(cards)("$title has every cell of the plan table", async ({ key, title, price, features }) => {
    const { text, texts } = await getPage(site, "/pricing");
    const card = `article[aria-labelledby=plan-${key}]`;
    expect(text(`${card} h2`)).toBe(title);
    expect(text(card)).toContain(price);
    expect(texts(`${card} li`)).toEqual(features);
  });

  test("badges every plan but the enterprise one with the trial, and highlights STANDARD alone", async () => {
    const { texts } = await getPage(site, "/pricing");
    const badges = texts("article").map((card) => card.includes("5-day free trial"));
    expect(badges).toEqual([true, true, true, false]);
    expect(texts(".plan-highlighted h2")).toEqual(["STANDARD"]);
  });

  test("leads from each paid plan to its sign-up, and from the enterprise plan to sales", async () => {
    const { document } = await getPage(site, "/pricing");
    expect([...document.querySelectorAll("article a")].map((link) => link.getAttribute("href"))).toEqual([
      "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
      "/subscription/0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
      "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
      expect.stringMatching(/^mailto:sales@brand\.test/),
    ]);
  });

  test("answers six questions, the given statements among them", async () => {
    const { text, texts } = await getPage(site, "/pricing");
    expect(texts("details summary")).toHaveLength(6);
    for (const statement of [
      "Reports are generated monthly, with real-time monitoring on the dashboard",
      "upgrade at any time, and the price difference is prorated",
      "All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
    ]) {
      expect(text("section[aria-labelledby=faq]")).toContain(statement);
    }
  });
});

describe("privacy", () => {
  test("covers every topic, in order, as of August 14, 2025", async () => {
    const { text, texts } = await getPage(site, "/privacy");
    expect(text("h1")).toBe("Privacy Policy");
    expect(text()).toContain("Last updated August 14, 2025");
    expect(texts("article h2")).toEqual([
      "1. Information we collect",
      "2. How we use information",
      "3. How we share information",
      "4. Security",
      "5. Retention",
      "6. Your rights",
      "7. Cookies",
      "8. International transfers",
      "9. Children under 13",
      "10. Third-party links",
      "11. Changes to this policy",
      "12. Contact",
    ]);
    expect(texts("article h3")).toEqual(["Under the GDPR", "Under the CCPA", "How to use your rights"]);
    expect(text()).toMatch(/never use (your )?personal data to train general-purpose AI models without your consent/);
    expect(text()).toContain("We do not sell personal data");
    expect(text("address")).toContain("legal@brand.test");
  });
});

describe("terms", () => {
  test("has all sections in order, as of August 14, 2025", async () => {
    const { text, texts } = await getPage(site, "/terms");
    expect(text()).toContain("Last updated August 14, 2025");
    expect(texts("article h2")).toEqual([
      "1. Definitions",
      "2. Services and access",
      "3. Acceptable use",
      "4. Data and privacy",
      "5. Intellectual property",
      "6. Fees and payment",
      "7. Term and termination",
      "8. Warranties",
      "9. Limitation of liability",
      "10. Indemnification",
      "11. Confidentiality",
      "12. Dispute resolution",
      "13. General provisions",
      "14. Contact",
    ]);
    expect(texts("article h3")).toEqual(["Account registration", "User management", "Service limits"]);
  });

  test.each([
    ["the customer keeps its rights", /keep all rights to your Customer Data/],
    ["the provider may process to deliver", /process it in order to deliver the Services/],
    ["reports are reviewed by the customer", /must review Reports/],
    ["usage data is anonymised", /usage data that has been anonymized/],
    ["feedback license", /feedback or suggestions, you grant us .* license/],
    ["logo and opt-out", /name and logo in our marketing.*opt out.*legal@brand\.test/],
    ["U.S. dollars, 30 days of invoice", /U\.S\. dollars and are due within 30 days of invoice/],
    ["late charge", /1\.5% per month or the legal maximum/],
    ["no refunds", /not refunded, except as stated in these Terms or required by law/],
    ["5-day free trial", /5-day free trial.*not charged immediately/],
    ["30-day cure", /does not cure the breach within 30 days/],
    ["30 days' notice of the end", /may end your access to the Services with 30 days’ notice/],
    ["cancellation", /cancel your subscription through your account settings/],
    ["deletion", /delete Customer Data after a reasonable period/],
    ["liability cap", /AMOUNTS THAT YOU PAID US IN THE 12 MONTHS BEFORE/],
    ["Delaware", /law of the State of Delaware.*courts in Delaware/],
    ["arbitration", /claims under \$100,000 .*arbitration/],
    ["amendments", /amend these Terms with 30 days’ notice/],
    ["contact block", /Website: localhost/],
  ])("states: %s", async (_fact, words) => {
    const { text } = await getPage(site, "/terms");
    expect(text("article")).toMatch(words);
  });
});

describe("not found", () => {
  test("says so, explains, and leads home", async () => {
    const { status, text, document } = await getPage(site, "/nothing-here");
    expect(status).toBe(404);
    expect(text()).toContain("404");
    expect(text("h1")).toBe("Oops! Page not found");
    expect(text("h1 + p").length).toBeGreaterThan(40);
    const home = document.querySelector("main a");
    expect([home?.textContent, home?.getAttribute("href")]).toEqual(["Return to Home", "/"]);
  });
});

describe("sign-up", () => {
  test("the form is valid HTML, empty and with errors", async () => {
    const { html } = await getPage(site, "/subscription");
    expect(await htmlProblems(html)).toEqual([]);

    const refused = await fetch(`${site.url}/subscription`, {
      method: "POST",
      headers: { Origin: site.url, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ email: "nobody", phone: "1" }),
    });
    expect(refused.status).toBe(422);
    expect(await htmlProblems(await refused.text())).toEqual([]);
  });
});

/** What html-validate finds against the HTML standard. */
async function htmlProblems(html: string): Promise<string[]> {
  const validator = new HtmlValidate({ extends: ["html-validate:standard", "html-validate:a11y"] });
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}
