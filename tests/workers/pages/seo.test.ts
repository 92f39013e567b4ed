import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { inDollars } from "../../../app/contract/money";
import { ENTERPRISE_PLAN, ENTERPRISE_PLATFORMS, PLAN_FEATURES } from "../../../app/contract/plans";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { markdownPath } from "../../../app/seo/markdown-path";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { PLANS } from "../../support/plans";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How search engines and assistants read the site: heads, structured data, the files for crawlers, and Markdown. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

/** A page with the values of its meta tags. */
async function headOf(path: string) {
  const page = await open(path);
  const meta = (key: string) => page.each(`meta[name="${key}"], meta[property="${key}"]`, "content").join();
  return { ...page, title: page.document.title, meta };
}

type Nodes = Record<string, unknown>[];

/** The structured data of a page. */
async function dataOf(path: string) {
  const [json = "{}"] = (await open(path)).wordsOfEach('script[type="application/ld+json"]');
  const { "@context": context, "@graph": nodes = [] }: { "@context"?: string; "@graph"?: Nodes } = JSON.parse(json);
  return { context, nodes, nodeOf: (type: string) => nodes.find((node) => node["@type"] === type) };
}

const SELLING = ["/", "/pricing"];
/** What pages are named in titles, lists and breadcrumbs. Any other page has a name of its own. */
const NAMES: Record<string, string> = {
  "/": "Home",
  "/pricing": "Pricing",
  "/privacy": "Privacy Policy",
  "/terms": "Terms & Conditions",
  "/security": "Security",
};
const END_OF_TITLE = ` · ${company.name}`;

describe.each(PUBLIC_PATHS)("%s", async (path) => {
  const isHome = path === "/";
  const url = `${site.url}${path}`;
  const { title, meta, words, each } = await headOf(path);
  const name = NAMES[path] ?? title.replace(END_OF_TITLE, "");
  const [updated] = each("time", "datetime");

  test("has a title and a description of 51 to 160 characters that no other page has, in sitemap and llms.txt too", async () => {
    expect(title).toBe((isHome ? company.tagline : name) + END_OF_TITLE);
    const description = meta("description");
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThanOrEqual(160);
    const all = await Promise.all(PUBLIC_PATHS.map(headOf));
    expect(all.filter((other) => other.title === title)).toHaveLength(1);
    expect(all.filter((other) => other.meta("description") === description)).toHaveLength(1);
    const lastmod = updated ? `<lastmod>${updated}</lastmod>` : "";
    expect((await visitor.get("/sitemap.xml")).body).toContain(`<loc>${url}</loc>${lastmod}</url>`);
    const line = `- [${name}](${site.url}${markdownPath(path)}): ${description}\n`;
    expect((await visitor.get("/llms.txt")).body).toContain(line);
  });

  test("has what search engines and previews read, and its icons", async () => {
    expect(each("link[rel=canonical]", "href")).toEqual([url]);
    expect(each("link[rel*=icon], link[rel=manifest]", "href")).toHaveLength(4);
    const expected = {
      robots: "index, follow, max-snippet:-1, max-image-preview:large",
      viewport: "width=device-width, initial-scale=1",
      "og:url": url,
      "og:type": "website",
      "og:title": title,
      "og:description": meta("description"),
      "og:image": `${site.url}/share/${isHome ? "home" : path.slice(1)}.png`,
      "og:image:alt": `The logo of ${company.name} and the words “${words("h1")}”`,
      "og:image:type": "image/png",
      "og:image:width": "1200",
      "og:image:height": "630",
      "og:locale": "en_US",
      "og:site_name": company.name,
      "twitter:card": "summary_large_image",
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, meta(key)]))).toEqual(expected);
    const png = new DataView(await (await fetch(meta("og:image"))).arrayBuffer());
    expect({ width: png.getUint32(16), height: png.getUint32(20) }).toEqual({ width: 1200, height: 630 });
    expect(png.byteLength, "bytes of the share image").toBeLessThan(60_000);
  });

  test("has structured data about the company, itself and its place below home, whose references resolve", async () => {
    const { context, nodes, nodeOf } = await dataOf(path);
    expect(context).toBe("https://schema.org");
    const own = [...(SELLING.includes(path) ? ["SoftwareApplication"] : []), ...(isHome ? [] : ["BreadcrumbList"])];
    expect(nodes.map((node) => node["@type"])).toEqual(["Organization", "WebSite", "WebPage", ...own]);
    const ids = nodes.map((node) => node["@id"]);
    const referred = [...JSON.stringify(nodes).matchAll(/\{"@id":"([^"]+)"\}/g)].map(([, id]) => id);
    expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
    const page = { url, name: title, description: meta("description") };
    expect(nodeOf("WebPage")).toMatchObject(updated ? { ...page, dateModified: updated } : page);
    expect(nodeOf("Organization")).toMatchObject({
      name: company.name,
      url: `${site.url}/`,
      logo: `${site.url}/icon-512.png`,
      sameAs: company.profiles,
      contactPoint: [
        { contactType: "sales", email: company.salesEmail },
        { contactType: "customer support", email: company.supportEmail },
      ],
    });
    const crumbs = [
      { "@type": "ListItem", position: 1, name: "Home", item: `${site.url}/` },
      { "@type": "ListItem", position: 2, name, item: url },
    ];
    expect(nodeOf("BreadcrumbList")?.itemListElement).toEqual(isHome ? undefined : crumbs);
  });
});

test.each(SELLING)("the structured data of %s has an offer for each plan with a price, at its card", async (path) => {
  const { nodeOf } = await dataOf(path);
  const cards = (await open("/pricing")).each("#plans h2", "id");
  const offers = Object.values(PLANS).map(({ key, title, priceCents }, index) => {
    const price = { price: inDollars(priceCents), priceCurrency: "USD" };
    return {
      ...{ "@type": "Offer", name: title, url: `${site.url}/pricing#${cards[index]}`, ...price },
      description: `${TRIAL_DAYS}-day free trial. ${PLAN_FEATURES[key].prompts} prompts tracked`,
      priceSpecification: { "@type": "UnitPriceSpecification", ...price, billingDuration: 1, unitCode: "MON" },
    };
  });
  expect(nodeOf("SoftwareApplication")?.offers).toEqual(offers);
});

test("search engines keep out of the not-found page and the sign-up by noindex alone", async () => {
  const { title, meta } = await headOf("/nothing-here");
  expect(title).toBe(`Page not found · ${company.name}`);
  for (const robots of [meta("robots"), (await headOf("/subscription")).meta("robots")])
    expect(robots).toContain("noindex");
});

test("robots.txt allows all crawlers everything, and names the sitemap, which is XML and has no other page", async () => {
  const { body } = await visitor.get("/robots.txt");
  expect(body).toBe(`User-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`);
  const sitemap = await visitor.get("/sitemap.xml");
  expect(sitemap).toHaveHeader("Content-Type", /^application\/xml/);
  expect(sitemap.body.match(/<loc>/g)).toHaveLength(PUBLIC_PATHS.length);
});

test("security.txt says whom to write to, and expires in nine to twelve months", async () => {
  const { body } = await visitor.get("/.well-known/security.txt");
  expect(body).toContain(`Contact: mailto:${company.supportEmail}\n`);
  expect(body).toContain(`Canonical: ${site.url}/.well-known/security.txt\nPolicy: ${site.url}/security\n`);
  const days = (Date.parse(/Expires: (.+)/.exec(body)?.[1] ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(270);
  expect(days).toBeLessThan(366);
});

const MARKDOWN = { Accept: "text/markdown" };
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

test.each(PUBLIC_PATHS)("%s and its Markdown name each other in headers, also of an unchanged page", async (path) => {
  const markdown = markdownPath(path);
  expect(await visitor.get(markdown, { Accept: "*/*" })).toHaveHeaders({
    "Content-Type": "text/markdown; charset=utf-8",
    Link: `<${site.url}${path}>; rel="canonical"`,
  });
  const page = readPage(await visitor.get(path));
  expect(page.each('link[type="text/markdown"]', "href")).toEqual([markdown]);
  const links = `<${markdown}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"`;
  expect(page).toHaveHeader("Link", links);
  expect(await visitor.get(path, { "If-None-Match": "*" })).toHaveHeader("Link", links);
});

test.each(PUBLIC_PATHS)("%s in Markdown has all words but those in images and buttons, and no HTML", async (path) => {
  const { document, wordsOfEach } = readPage(await visitor.get(path));
  const left = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
  for (const element of document.querySelectorAll(left)) element.remove();
  const { body } = await visitor.get(markdownPath(path));
  expect((await visitor.get(path, MARKDOWN)).body, "of a client that prefers Markdown").toBe(body);
  const words = lettersOf(body.replace(/\]\([^)]*\)/g, ""));
  const blocks = wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)");
  expect(blocks.filter((block) => !words.includes(lettersOf(block)))).toEqual([]);
  expect(body.match(/^# /gm), "headings of the first level").toHaveLength(1);
  expect(body).not.toMatch(/<\/?[a-z]+[ >]/);
  expect(body, "words of buttons").not.toMatch(/Get Started|Learn More|Start free trial|Contact Sales/);
});

test.each([
  { Accept: "text/markdown, text/html;q=0.9, */*;q=0.1", type: /^text\/markdown/ },
  { Accept: "text/html, text/markdown", type: /^text\/html/ },
  { Accept: "*/*", type: /^text\/html/ },
  { Accept: "text/markdown;q=0, */*", type: /^text\/html/ },
])("a client that accepts '$Accept' gets $type", async ({ Accept, type }) => {
  const answer = await visitor.get("/pricing", { Accept });
  expect(answer).toHaveStatus(200);
  expect(answer).toHaveHeaders({ Vary: "Accept", "Content-Type": type });
});

test.each(["/nothing-here.md", "/nothing-here"])("the not-found page is in Markdown too: %s", async (path) => {
  const answer = await visitor.get(path, MARKDOWN);
  expect(answer).toHaveStatus(404);
  expect(answer.body).toContain("# Oops! Page not found");
});

test("the sign-up has no Markdown", async () => {
  expect(await visitor.get("/subscription", MARKDOWN)).toHaveHeader("Content-Type", /^text\/html/);
  expect(await visitor.get("/subscription.md")).toHaveStatus(404);
});

test("/index.md ends with the address of sales, and /pricing.md has each plan's features under its title and price", async () => {
  const home = await visitor.get("/index.md");
  expect(home.body.slice(home.body.lastIndexOf("For brands"))).toContain(`${company.salesEmail}\n`);
  const [, lite = ""] = (await visitor.get("/pricing.md")).body.split(`## ${PLANS.LITE.title}\n`);
  const [features = ""] = lite.split("\n## ");
  expect(features).toContain(`${PLANS.LITE.short} a month`);
  expect(features).toContain(`- Prompts tracked: ${PLAN_FEATURES.lite.prompts}\n`);
});

test("llms.txt says what the product is, describes features and areas as home does, and has the plans and our addresses", async () => {
  const answer = await visitor.get("/llms.txt");
  expect(answer).toHaveHeader("Content-Type", /^text\/plain/);
  const { body } = answer;
  const beginning = `# ${company.name}\n\n> ${company.name} helps brands and agencies raise their visibility in AI search`;
  expect(body.slice(0, beginning.length)).toBe(beginning);
  const described = [...body.matchAll(/^- ([\w ]+): (.+)$/gm)].slice(0, 6);
  expect(described).toHaveLength(6);
  const { words } = readPage(await visitor.get("/"));
  for (const [, title, text] of described) expect(words()).toContain(`${title}${text}`);
  for (const { key, title, short } of Object.values(PLANS)) {
    const { platforms, prompts } = PLAN_FEATURES[key];
    const offer = `- ${title}: ${short} a month, ${TRIAL_DAYS}-day free trial. Platforms: ${platforms.join(", ")}. ${prompts} prompts tracked.`;
    expect(body).toContain(`${offer} [Sign up](${site.url}/subscription/`);
  }
  const platforms = ENTERPRISE_PLATFORMS.join(", ");
  expect(body).toContain(`- ${ENTERPRISE_PLAN.title}: Price on request. Platforms: ${platforms}.\n`);
  expect(body).toContain(`- Sales: <${company.salesEmail}>\n- Support: <${company.supportEmail}>\n`);
});
