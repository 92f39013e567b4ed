import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faq } from "../../app/pricing/faq";
import { plans } from "../../app/pricing/plans";
import { getPage } from "../support/page";
import { type RunningWorker, startSite } from "../support/workers";

/*
 * What makes the site found: head tags, structured data, the lists for crawlers, and every page in Markdown. All of it
 * agrees with what the pages show.
 */

const paths = ["/", "/pricing", "/privacy", "/terms"];
const markdownPaths = { "/": "/index.md", "/pricing": "/pricing.md", "/privacy": "/privacy.md", "/terms": "/terms.md" };
const catalogue = plans({
  packageIds: {
    mini: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
    lite: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
    standard: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
  },
  salesEmail: "sales@citewell.example",
});
const pricedPlans = catalogue.filter(({ price }) => price !== null);

let site: RunningWorker;

beforeAll(async () => {
  site = await startSite();
});

afterAll(() => site.dispose());

describe.each(paths)("the head of %s", (path) => {
  test("has a title, a description and the page's own address, for search engines and for previews", async () => {
    const { document } = await getPage(site, path);
    const meta = (key: string) =>
      document.querySelector(`meta[name="${key}"], meta[property="${key}"]`)?.getAttribute("content");
    const address = `${site.url}${path}`;

    expect(document.title.length).toBeGreaterThan(10);
    expect(document.title.length).toBeLessThanOrEqual(60);
    expect(meta("description")?.length).toBeGreaterThan(50);
    expect(meta("description")?.length).toBeLessThanOrEqual(160);
    expect(document.querySelector("link[rel=canonical]")?.getAttribute("href")).toBe(address);
    expect(meta("og:url")).toBe(address);
    expect([meta("og:title"), meta("twitter:title")]).toEqual([document.title, document.title]);
    expect([meta("og:description"), meta("twitter:description")]).toEqual([meta("description"), meta("description")]);
    expect(meta("og:type")).toBe("website");
    expect(meta("twitter:card")).toBe("summary_large_image");
    expect(meta("robots")).toMatch(/^index, follow/);

    const image = await fetch(`${site.url}${meta("og:image")?.slice(site.url.length)}`);
    const png = new DataView(await image.arrayBuffer());
    expect(image.headers.get("content-type")).toBe("image/png");
    expect([png.getUint32(16), png.getUint32(20)]).toEqual([
      Number(meta("og:image:width")),
      Number(meta("og:image:height")),
    ]);
  });

  test("is unlike that of every other page", async () => {
    const heads = await Promise.all(paths.map(async (other) => (await getPage(site, other)).document));
    const own = heads[paths.indexOf(path)];
    const description = (document: Document | undefined) =>
      document?.querySelector("meta[name=description]")?.getAttribute("content");
    expect(heads.filter(({ title }) => title === own?.title)).toHaveLength(1);
    expect(heads.filter((head) => description(head) === description(own))).toHaveLength(1);
  });
});

test.each(["/nothing-here", "/subscription", "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"])(
  "%s is kept out of search engines",
  async (path) => {
    const { document } = await getPage(site, path);
    expect(document.querySelector("meta[name=robots]")?.getAttribute("content")).toContain("noindex");
  },
);

/** The nodes of a page's JSON-LD, by type. */
async function graphOf(path: string): Promise<Map<string, Record<string, unknown>>> {
  const { document } = await getPage(site, path);
  const { "@context": context, "@graph": nodes } = JSON.parse(
    document.querySelector('script[type="application/ld+json"]')?.textContent ?? "{}",
  );
  expect(context).toBe("https://schema.org");
  return new Map(nodes.map((node: Record<string, unknown>) => [node["@type"], node]));
}

describe("structured data", () => {
  test.each([
    ["/", ["Organization", "WebSite", "WebPage", "SoftwareApplication"]],
    ["/pricing", ["Organization", "WebSite", "WebPage", "SoftwareApplication", "FAQPage", "BreadcrumbList"]],
    ["/privacy", ["Organization", "WebSite", "WebPage", "BreadcrumbList"]],
    ["/terms", ["Organization", "WebSite", "WebPage", "BreadcrumbList"]],
  ])("%s has its types, and every reference in it is to one of them", async (path, types) => {
    const graph = await graphOf(path);
    expect([...graph.keys()]).toEqual(types);
    const ids = [...graph.values()].map((node) => node["@id"]);
    for (const [, id] of JSON.stringify([...graph.values()]).matchAll(/\{"@id":"([^"]+)"\}/g)) {
      expect(ids).toContain(id);
    }
  });

  test.each(["/", "/pricing"])("on %s has one offer for each priced plan, as the catalogue has it", async (path) => {
    const offers = (await graphOf(path)).get("SoftwareApplication")?.offers;
    expect(offers).toMatchObject(
      pricedPlans.map(({ key, title, price }) => ({
        "@type": "Offer",
        name: title,
        price,
        priceCurrency: "USD",
        url: `${site.url}/pricing#plan-${key}`,
        priceSpecification: { price, unitCode: "MON" },
      })),
    );
    const { document } = await getPage(site, "/pricing");
    for (const { key } of pricedPlans) expect(document.getElementById(`plan-${key}`)).not.toBeNull();
  });

  test("answers the questions that the page answers", async () => {
    const { texts } = await getPage(site, "/pricing");
    const questions = (await graphOf("/pricing")).get("FAQPage")?.mainEntity;
    expect(questions).toEqual(
      texts("details").map((shown, index) => {
        const { question = "", answer = "" } = faq[index] ?? {};
        expect(shown).toBe(`${question}${answer}`);
        return { "@type": "Question", name: question, acceptedAnswer: { "@type": "Answer", text: answer } };
      }),
    );
  });

  test("leads from the home page to the page in breadcrumbs", async () => {
    const crumbs = (await graphOf("/terms")).get("BreadcrumbList")?.itemListElement;
    expect(crumbs).toMatchObject([
      { position: 1, name: "Home", item: `${site.url}/` },
      { position: 2, name: "Terms & Conditions", item: `${site.url}/terms` },
    ]);
  });
});

describe("lists for crawlers", () => {
  test("sitemap.xml has exactly the public pages, and the dates that they show", async () => {
    const { headers, html } = await getPage(site, "/sitemap.xml");
    expect(headers.get("content-type")).toMatch(/^application\/xml/);
    expect([...html.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc)).toEqual(
      paths.map((path) => site.url + path),
    );
    expect([...html.matchAll(/<loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod>/g)].map(([, ...found]) => found)).toEqual([
      [`${site.url}/privacy`, "2025-08-14"],
      [`${site.url}/terms`, "2025-08-14"],
    ]);
  });

  test("robots.txt names search, user-fetch and training crawlers, and keeps all of them out of the sign-up", async () => {
    const { headers, html } = await getPage(site, "/robots.txt");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    for (const crawler of [
      ...["Googlebot", "Bingbot", "OAI-SearchBot", "Claude-SearchBot", "PerplexityBot"],
      ...["ChatGPT-User", "Claude-User", "Perplexity-User"],
      ...["GPTBot", "ClaudeBot", "Google-Extended", "Applebot-Extended", "CCBot"],
      "*",
    ]) {
      expect(html).toContain(`User-agent: ${crawler}\n`);
    }
    const groups = html.split("\n\n").filter((group) => group.includes("User-agent"));
    for (const group of groups) expect(group).toMatch(/\nAllow: \/\nDisallow: \/subscription$/);
    expect(html).toContain(`Sitemap: ${site.url}/sitemap.xml`);
  });

  test("llms.txt says what the product is and leads to each page in Markdown", async () => {
    const { headers, html } = await getPage(site, "/llms.txt");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(html).toMatch(/^# .+\n\n> .+AI search/);
    for (const { title, price } of pricedPlans) expect(html).toContain(`${title}: $${price} a month, 5-day free trial`);
    for (const path of Object.values(markdownPaths)) {
      expect(html).toContain(`(${site.url}${path})`);
      expect((await getPage(site, path)).status).toBe(200);
    }
  });

  test("the manifest and all icons are there", async () => {
    const { document } = await getPage(site, "/");
    const addresses = [...document.querySelectorAll("link[rel*=icon], link[rel=manifest]")].map((link) =>
      String(link.getAttribute("href")),
    );
    const { icons } = JSON.parse((await getPage(site, "/site.webmanifest")).html);
    for (const { src } of icons) addresses.push(src);
    expect(addresses).toHaveLength(7);
    for (const address of addresses) expect((await getPage(site, address)).status, address).toBe(200);
  });
});

describe.each(Object.entries(markdownPaths))("%s in Markdown", (path, markdownPath) => {
  test("stands under its own address, which the page names", async () => {
    const markdown = await getPage(site, markdownPath, { accept: "*/*" });
    expect(markdown.status).toBe(200);
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(markdown.headers.get("link")).toBe(`<${site.url}${path}>; rel="canonical"`);
    expect(markdown.headers.get("content-security-policy")).toContain("default-src 'none'");
    const { document } = await getPage(site, path);
    expect(document.querySelector('link[type="text/markdown"]')?.getAttribute("href")).toBe(markdownPath);
  });

  test("is the answer to whoever prefers it, and to nobody else", async () => {
    const twin = (await getPage(site, markdownPath)).html;
    const types = {
      "text/markdown": true,
      "text/markdown, text/html;q=0.9, */*;q=0.1": true,
      "text/html;q=0.5, text/markdown": true,
      "text/html, text/markdown": false,
      "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": false,
      "*/*": false,
      "text/markdown;q=0, */*": false,
      "": false,
      ";;q=,": false,
    };
    for (const [accept, inMarkdown] of Object.entries(types)) {
      const answer = await getPage(site, path, { accept });
      expect(answer.status, accept).toBe(200);
      expect(answer.headers.get("vary"), accept).toBe("Accept");
      expect(answer.headers.get("content-type"), accept).toContain(inMarkdown ? "text/markdown" : "text/html");
      if (inMarkdown) expect(answer.html).toBe(twin);
    }
  });

  test("has all words of the page, in its order", async () => {
    const { document, texts } = await getPage(site, path);
    const { html: markdown } = await getPage(site, markdownPath);
    for (const drawn of document.querySelectorAll("main nav, main svg, main [aria-hidden=true]")) drawn.remove();
    const words = markdown
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/\\(?=\W)/g, "")
      .replace(/[*~]{2}/g, "");
    let from = 0;
    for (const block of texts("main :is(h1, h2, h3, p, li > span, td, figcaption, address)")) {
      if (block === "" || /\w\w+@|localhost|https?:/.test(block)) continue;
      for (const word of block.split(" ")) {
        const at = words.indexOf(word, from);
        expect(at, `${word} of “${block}”`).toBeGreaterThanOrEqual(from);
        from = at + word.length;
      }
    }
    expect(markdown.match(/^# /gm)).toHaveLength(1);
    expect(markdown).not.toMatch(/<\/?[a-z]+[ >]/);
  });

  test("answers HEAD with the same headers and no body", async () => {
    for (const address of [path, markdownPath]) {
      const [head, get] = await Promise.all([
        fetch(site.url + address, { method: "HEAD", headers: { accept: "text/markdown" } }),
        fetch(site.url + address, { headers: { accept: "text/markdown" } }),
      ]);
      expect(head.status).toBe(200);
      expect(await head.text()).toBe("");
      for (const name of ["content-type", "vary", "link"]) expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });
});

test("pricing in Markdown has the catalogue's plans as headings and as a table", async () => {
  const { html } = await getPage(site, "/pricing.md");
  for (const { title, price, priceDetail } of catalogue) {
    expect(html).toContain(`## ${title}\n`);
    if (price !== null) expect(html).toContain(`$${price} ${priceDetail}`);
  }
  expect(html).toContain(`| Feature | ${catalogue.map(({ title }) => title).join(" | ")} |\n| --- |`);
  expect(html).toContain("| Prompts tracked | 50 | 100 | 600 | Custom prompts |");
});

test("an unknown address is not found in Markdown either", async () => {
  for (const path of ["/nothing-here.md", "/nothing-here"]) {
    const { status, headers, html } = await getPage(site, path, { accept: "text/markdown" });
    expect(status).toBe(404);
    expect(headers.get("content-type")).toContain("text/markdown");
    expect(html).toContain("# Oops! Page not found");
  }
});

test("the sign-up has no Markdown: it is a visitor's own", async () => {
  const { headers } = await getPage(site, "/subscription", { accept: "text/markdown" });
  expect(headers.get("content-type")).toContain("text/html");
  expect((await getPage(site, "/subscription.md")).status).toBe(404);
});
