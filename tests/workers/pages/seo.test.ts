import { afterAll, describe, expect, test } from "vitest";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/*
 * What makes the site found: head tags, structured data, the lists for crawlers, and every page in Markdown. All of it
 * agrees with what the pages show.
 */

const paths = ["/", "/pricing", "/privacy", "/terms", "/security"];
const markdownPaths = {
  "/": "/index.md",
  "/pricing": "/pricing.md",
  "/privacy": "/privacy.md",
  "/terms": "/terms.md",
  "/security": "/security.md",
};

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const metaOf = (document: Document) => (key: string) =>
  document.querySelector(`meta[name="${key}"], meta[property="${key}"]`)?.getAttribute("content") ?? "";

test.each(paths)(
  "the head of %s has title, description, its own URL and share image, for engines and previews",
  async (path) => {
    const { document, words } = await open(path);
    const meta = metaOf(document);
    const [title, description, image] = [document.title, meta("description"), meta("og:image")];
    const url = `${site.url}${path}`;
    expect(title).toMatch(/^[^|:·]{2,48} · Citewell$/);
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThanOrEqual(160);
    expect([document.querySelector("link[rel=canonical]")?.getAttribute("href"), meta("og:url")]).toEqual([url, url]);
    expect([meta("og:title"), meta("twitter:title")]).toEqual([title, title]);
    expect([meta("og:description"), meta("twitter:description")]).toEqual([description, description]);
    expect([meta("og:type"), meta("twitter:card")]).toEqual(["website", "summary_large_image"]);
    expect(meta("robots")).toMatch(/^index, follow/);
    expect(meta("og:image:alt")).toBe(`The logo of Citewell and the words “${words("h1")}”`);
    expect([meta("twitter:image"), meta("twitter:image:alt")]).toEqual([image, meta("og:image:alt")]);
    const answer = await fetch(image);
    const bytes = await answer.arrayBuffer();
    const png = new DataView(bytes);
    const size = [Number(meta("og:image:width")), Number(meta("og:image:height"))];
    expect([answer.headers.get("content-type"), png.getUint32(16), png.getUint32(20)]).toEqual(["image/png", ...size]);
    expect(bytes.byteLength).toBeLessThanOrEqual(60_000);
  },
);

test("no two pages share a title, a description or an image", async () => {
  const heads = await Promise.all(paths.map(async (path) => (await open(path)).document));
  for (const of of [
    ({ title }: Document) => title,
    ...["description", "og:image"].map((key) => (head: Document) => metaOf(head)(key)),
  ]) {
    expect(new Set(heads.map(of)).size).toBe(paths.length);
  }
});

test.each(["/nothing-here", "/subscription", "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"])(
  "%s is kept out of search engines by noindex alone",
  async (path) => {
    const { document } = await open(path);
    expect((await visitor.get("/robots.txt")).body).not.toContain("Disallow");
    expect(metaOf(document)("robots")).toContain("noindex");
  },
);

type Plan = { key: string; title: string; price: number | undefined; prompts: string };

/** The plans as /pricing shows them; one without a price has none. */
async function plansShown(): Promise<Plan[]> {
  const { document } = await open("/pricing");
  return [...document.querySelectorAll("article")].map((card) => {
    const text = card.textContent ?? "";
    const price = /\$(\d+) a month/.exec(text)?.[1];
    const [, prompts, each] = /Prompts tracked: (\d+)Price per prompt: (\$\d\.\d\d) a month/.exec(text) ?? [];
    return {
      key: (card.getAttribute("aria-labelledby") ?? "").replace("plan-", ""),
      title: card.querySelector("h2")?.textContent ?? "",
      price: price === undefined ? undefined : Number(price),
      prompts: `${prompts} prompts tracked, ${each} per prompt`,
    };
  });
}

async function pricedPlans(): Promise<Plan[]> {
  const priced = (await plansShown()).filter(({ price }) => price !== undefined);
  expect(priced).toHaveLength(3);
  return priced;
}

const JSON_LD = 'script[type="application/ld+json"]';

/** The nodes of a page's JSON-LD, by type. */
async function graphOf(path: string): Promise<Map<string, Record<string, unknown>>> {
  const { document } = await open(path);
  const { "@context": context, "@graph": nodes } = JSON.parse(document.querySelector(JSON_LD)?.textContent ?? "{}");
  expect(context).toBe("https://schema.org");
  return new Map(nodes.map((node: Record<string, unknown>) => [node["@type"], node]));
}

describe("structured data", () => {
  test.each([
    ["/", ["Organization", "WebSite", "WebPage", "SoftwareApplication"]],
    [
      "/pricing",
      ["Organization", "WebSite", "WebPage", "SoftwareApplication", "FAQPage", "DefinedTermSet", "BreadcrumbList"],
    ],
    ["/privacy", ["Organization", "WebSite", "WebPage", "BreadcrumbList"]],
    ["/terms", ["Organization", "WebSite", "WebPage", "BreadcrumbList"]],
  ])("%s has its types, and its references resolve", async (path, types) => {
    const graph = await graphOf(path);
    expect([...graph.keys()]).toEqual(types);
    const ids = [...graph.values()].map((node) => node["@id"]);
    for (const [, id] of JSON.stringify([...graph.values()]).matchAll(/\{"@id":"([^"]+)"\}/g)) {
      expect(ids).toContain(id);
    }
  });

  test.each(["/", "/pricing"])(
    "on %s has one offer for each priced plan, as the catalog has it, and the company's profiles",
    async (path) => {
      const offers = (await graphOf(path)).get("SoftwareApplication")?.offers;
      expect(offers).toMatchObject(
        (await pricedPlans()).map(({ key, title, price, prompts }) => ({
          "@type": "Offer",
          name: title,
          description: `5-day free trial. ${prompts}`,
          price,
          priceCurrency: "USD",
          url: `${site.url}/pricing#plan-${key}`,
          priceSpecification: { price, priceCurrency: "USD", billingDuration: 1, unitCode: "MON" },
        })),
      );
      expect((await graphOf(path)).get("Organization")?.sameAs).toEqual([expect.stringMatching(/^https:\/\//)]);
      const { document } = await open("/pricing");
      for (const { key } of await pricedPlans()) expect(document.getElementById(`plan-${key}`)).not.toBeNull();
    },
  );

  test("has the page's questions and answers", async () => {
    const { document } = await open("/pricing");
    const shown = [...document.querySelectorAll("details")].map((details) => {
      const question = details.querySelector("summary")?.textContent ?? "";
      const answer = (details.textContent ?? "").slice(question.length);
      return { "@type": "Question", name: question, acceptedAnswer: { "@type": "Answer", text: answer } };
    });
    expect(shown).toHaveLength(6);
    expect((await graphOf("/pricing")).get("FAQPage")?.mainEntity).toEqual(shown);
  });

  test("has the page's glossary", async () => {
    const { document } = await open("/pricing");
    const shown = [...document.querySelectorAll("[aria-labelledby=glossary] li")].map((item) => {
      const [name = "", description = ""] = (item.textContent ?? "").split(/: (.*)/);
      return { "@type": "DefinedTerm", name, description };
    });
    expect(shown).toHaveLength(6);
    expect((await graphOf("/pricing")).get("DefinedTermSet")?.hasDefinedTerm).toEqual(shown);
    const { body: llmsTxt } = await visitor.get("/llms.txt");
    for (const { name, description } of shown) expect(llmsTxt).toContain(`- ${name}: ${description}\n`);
  });

  test("has breadcrumbs from home to the page", async () => {
    const crumbs = (await graphOf("/terms")).get("BreadcrumbList")?.itemListElement;
    expect(crumbs).toMatchObject([
      { position: 1, name: "Home", item: `${site.url}/` },
      { position: 2, name: "Terms & Conditions", item: `${site.url}/terms` },
    ]);
  });
});

/** A file for crawlers, of the given type. */
async function fileAt(path: string, type: RegExp): Promise<string> {
  const { headers, body } = await visitor.get(path);
  expect(headers.get("content-type")).toMatch(type);
  return body;
}

describe("files for crawlers", () => {
  test("sitemap.xml has exactly the public pages, with the dates that they show", async () => {
    const body = await fileAt("/sitemap.xml", /^application\/xml/);
    const entries = [...body.matchAll(/<loc>(.*?)<\/loc>(?:<lastmod>(.*?)<\/lastmod>)?/g)].map(([, ...found]) => found);
    expect(entries.map(([loc]) => loc)).toEqual(paths.map((path) => site.url + path));
    expect(entries.map(([, date]) => date)).toEqual([undefined, undefined, "2025-08-14", "2025-08-14", "2026-11-23"]);
  });

  test("security.txt has a contact, and expires in less than a year", async () => {
    const body = await fileAt("/.well-known/security.txt", /^text\/plain/);
    const lines = body.trim().split("\n");
    const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
    expect(fields).toMatchObject({
      Contact: expect.stringMatching(/^mailto:.+@/),
      Canonical: `${site.url}/.well-known/security.txt`,
      Policy: `${site.url}/security`,
    });
    const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
    expect(days > 270 && days < 366).toBe(true);
  });

  test("robots.txt names and allows search, user-fetch and training crawlers", async () => {
    const body = await fileAt("/robots.txt", /^text\/plain/);
    for (const crawler of [
      ...["Googlebot", "Bingbot", "OAI-SearchBot", "Claude-SearchBot", "PerplexityBot"],
      ...["ChatGPT-User", "Claude-User", "Perplexity-User"],
      ...["GPTBot", "ClaudeBot", "Google-Extended", "Applebot-Extended", "CCBot", "*"],
    ]) {
      expect(body).toContain(`User-agent: ${crawler}\n`);
    }
    for (const group of body.split("\n\n").filter((group) => group.includes("User-agent"))) {
      expect(group).toMatch(/\nAllow: \/$/);
    }
    expect(body).toContain(`Sitemap: ${site.url}/sitemap.xml`);
  });

  test("llms.txt describes the product, its terms and each plan, and links to each page", async () => {
    const body = await fileAt("/llms.txt", /^text\/plain/);
    expect(body).toMatch(/^# .+\n\n> .+AI search/);
    for (const { title, price, prompts } of await pricedPlans()) {
      expect(body).toContain(`${title}: $${price} a month, 5-day free trial. Platforms: ChatGPT, Perplexity`);
      expect(body).toContain(`. ${prompts}. [Sign up]`);
    }
    expect(body).toContain(`[Sign up](${site.url}/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430)`);
    for (const path of Object.values(markdownPaths)) expect(body).toContain(`(${site.url}${path})`);
  });

  test("the manifest and all icons exist", async () => {
    const { document } = await open("/");
    const links = [...document.querySelectorAll("link[rel*=icon], link[rel=manifest]")];
    const { icons } = JSON.parse((await visitor.get("/site.webmanifest")).body);
    const urls = [...links.map((link) => link.getAttribute("href")), ...icons.map(({ src }: { src: string }) => src)];
    expect(urls).toHaveLength(7);
    for (const url of urls) expect((await visitor.get(url)).status, url).toBe(200);
  });
});

describe.each(Object.entries(markdownPaths))("%s in Markdown", (path, markdownPath) => {
  test("has its own URL, which the page names in its head and headers", async () => {
    const markdown = await visitor.get(markdownPath, { Accept: "*/*" });
    expect(markdown.status).toBe(200);
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(markdown.headers.get("link")).toBe(`<${site.url}${path}>; rel="canonical"`);
    const { document, headers } = await open(path);
    expect(document.querySelector('link[type="text/markdown"]')?.getAttribute("href")).toBe(markdownPath);
    const links = `<${markdownPath}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"`;
    expect(headers.get("link")).toBe(links);
    expect((await visitor.get(path, { Accept: "text/html", "If-None-Match": "*" })).headers.get("link")).toBe(links);
  });

  test("has all words of the page in order, except in images and buttons", async () => {
    const { document, wordsOfEach } = readPage(await visitor.get(path));
    const { body: markdown } = await visitor.get(markdownPath);
    const drawn = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
    for (const element of document.querySelectorAll(drawn)) element.remove();
    const words = markdown
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/\\(?=\W)/g, "")
      .replace(/[*~]{2}/g, "");
    let from = 0;
    for (const block of wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)")) {
      if (block === "" || /\w\w+@|localhost|https?:/.test(block)) continue;
      for (const word of block.split(" ")) {
        const at = words.indexOf(word, from);
        expect(at, `${word} of “${block}”`).toBeGreaterThanOrEqual(from);
        from = at + word.length;
      }
    }
    expect(markdown.match(/^# /gm)).toHaveLength(1);
    expect(markdown).not.toMatch(/<\/?[a-z]+[ >]|Get Started|Learn More|Start free trial|Contact Sales/);
  });

  test("has far fewer tokens than the HTML; legal texts are mostly text", async () => {
    // Byte pair encodings have whole short words, and merge few signs.
    const tokens = (text: string) => text.match(/\p{L}{1,7}|\d{1,3}|[^\s\p{L}\d]{1,2}|\n+/gu)?.length ?? 0;
    const share = path === "/" || path === "/pricing" ? 0.1 : 0.25;
    expect(tokens((await visitor.get(markdownPath)).body) / tokens((await open(path)).body)).toBeLessThan(share);
  });
});

test.each<[accept: string, inMarkdown: boolean]>([
  ["text/markdown", true],
  ["text/markdown, text/html;q=0.9, */*;q=0.1", true],
  ["text/html;q=0.5, text/markdown", true],
  ["text/html, text/markdown", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["*/*", false],
  ["text/markdown;q=0, */*", false],
  ["", false],
  [";;q=,", false],
])("a client that accepts %j gets Markdown: %s", async (accept, inMarkdown) => {
  const answer = await visitor.get("/pricing", { Accept: accept });
  expect([answer.status, answer.headers.get("vary")]).toEqual([200, "Accept"]);
  expect(answer.headers.get("content-type")).toContain(inMarkdown ? "text/markdown" : "text/html");
  if (inMarkdown) expect(answer.body).toBe((await visitor.get("/pricing.md")).body);
});

test.each<[markdownPath: string, text: string | RegExp]>([
  ["/index.md", /For brands.*\n+.*\n+ *sales@citewell\.example\n/],
  ["/index.md", "Visibility is the share of tracked answers that name your brand."],
  ["/index.md", "| MINI, LITE | ChatGPT, Perplexity |\n| STANDARD | ChatGPT, Perplexity, Google AI Overviews |"],
  ["/pricing.md", /For brands.*\n+.*\n+ *sales@citewell\.example\n/],
  ["/pricing.md", "| Feature | MINI | LITE | STANDARD | ENTERPRISE/AGENCY |\n| --- |"],
  ["/pricing.md", "| Prompts tracked | 50 | 100 | 600 | Custom prompts |"],
  ["/pricing.md", /## MINI\n.*\$100 a month.*## LITE\n.*## STANDARD\n.*## ENTERPRISE\/AGENCY\n/s],
])("%s has in Markdown: %s", async (markdownPath, text) => {
  const { body } = await visitor.get(markdownPath);
  if (typeof text === "string") expect(body).toContain(text);
  else expect(body).toMatch(text);
});

test("an unknown path has its not-found page in Markdown too, and the sign-up has none", async () => {
  for (const path of ["/nothing-here.md", "/nothing-here"]) {
    const { status, headers, body } = await visitor.get(path, { Accept: "text/markdown" });
    expect([status, headers.get("content-type")]).toEqual([404, "text/markdown; charset=utf-8"]);
    expect(body).toContain("# Oops! Page not found");
  }
  const { headers } = await visitor.get("/subscription", { Accept: "text/markdown" });
  expect(headers.get("content-type")).toContain("text/html");
  expect((await visitor.get("/subscription.md")).status).toBe(404);
});
