import { afterAll, describe, expect, test } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How search engines and assistants read the site: heads, structured data, files for crawlers, and pages in Markdown. */

const vars = { SALES_EMAIL: "sales@brand.test", SUPPORT_EMAIL: "support@brand.test" };
const { site, visitor, dispose } = await startVisitedSite({ vars });
afterAll(dispose);
const open = pageReader(visitor);

type Node = Record<string, unknown>;

/** The structured data of a page, and the values of its meta tags. */
async function headOf(path: string) {
  const { document, wordsOfEach, each, words } = await open(path);
  const [json = "{}"] = wordsOfEach('script[type="application/ld+json"]');
  const { "@context": context, "@graph": nodes = [] }: { "@context"?: string; "@graph"?: Node[] } = JSON.parse(json);
  const meta = (key: string) => each(`meta[name="${key}"], meta[property="${key}"]`, "content").join();
  return { title: document.title, meta, each, heading: words("h1"), context, nodes };
}
const nodeOf = async (path: string, type: string) =>
  (await headOf(path)).nodes.find((node) => node["@type"] === type) ?? {};

const SHARED = ["Organization", "WebSite", "WebPage"];
const LEGAL = [...SHARED, "BreadcrumbList"];
const SOFTWARE = [...SHARED, "SoftwareApplication"];

/** Every public page. */
const PAGES: [path: string, name: string, title: string, updated: string | undefined, types: string[]][] = [
  ["/", "Home", "Brand visibility in AI search", undefined, SOFTWARE],
  ["/pricing", "Pricing", "Pricing", undefined, [...SOFTWARE, "FAQPage", "DefinedTermSet", "BreadcrumbList"]],
  ["/privacy", "Privacy Policy", "Privacy Policy", "2025-08-14", LEGAL],
  ["/terms", "Terms & Conditions", "Terms & Conditions", "2025-08-14", LEGAL],
  ["/security", "Security", "Security", "2026-11-23", LEGAL],
];
const markdownOf = (path: string) => `${path === "/" ? "/index" : path}.md`;

describe.each(PAGES)("%s", (path, name, pageTitle, updated, types) => {
  test("has title, description, its own URL and share image, for engines and previews", async () => {
    const { title, meta, each, heading } = await headOf(path);
    const [description, image, url] = [meta("description"), meta("og:image"), `${site.url}${path}`];
    expect(title).toBe(`${pageTitle} · Citewell`);
    expect(description.length > 50 && description.length <= 160).toBe(true);
    expect(each("link[rel=canonical]", "href")).toEqual([url]);
    const alt = `The logo of Citewell and the words “${heading}”`;
    const expected = {
      ...{ robots: "index, follow, max-snippet:-1, max-image-preview:large", "og:url": url, "og:type": "website" },
      ...{ "og:title": title, "og:description": description, "og:image:alt": alt, "og:site_name": "Citewell" },
      ...{ "og:image:type": "image/png", "og:image:width": "1200", "og:image:height": "630", "og:locale": "en_US" },
      ...{ "twitter:card": "summary_large_image", "twitter:title": title, "twitter:description": description },
      ...{ "twitter:image": image, "twitter:image:alt": alt, viewport: "width=device-width, initial-scale=1" },
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, meta(key)]))).toEqual(expected);
    expect(image).toBe(`${site.url}/share/${path === "/" ? "home" : path.slice(1)}.png`);
    const bytes = await (await fetch(image)).arrayBuffer();
    const png = new DataView(bytes);
    expect([png.getUint32(16), png.getUint32(20), bytes.byteLength < 60_000]).toEqual([1200, 630, true]);
    const others = PAGES.filter(([other]) => other !== path).map(async ([other]) => (await headOf(other)).meta);
    for (const other of await Promise.all(others)) expect(other("description")).not.toBe(description);
  });

  test("has structured data of its types, whose references resolve, with its title, description and date", async () => {
    const { title, meta, context, nodes } = await headOf(path);
    expect([context, ...nodes.map((node) => node["@type"])]).toEqual(["https://schema.org", ...types]);
    const ids = nodes.map((node) => node["@id"]);
    for (const [, id] of JSON.stringify(nodes).matchAll(/\{"@id":"([^"]+)"\}/g)) expect(ids).toContain(id);
    const page = { url: site.url + path, name: title, description: meta("description"), dateModified: updated };
    expect(await nodeOf(path, "WebPage")).toMatchObject(JSON.parse(JSON.stringify(page)));
    const crumbs = [
      { "@type": "ListItem", position: 1, name: "Home", item: `${site.url}/` },
      { "@type": "ListItem", position: 2, name, item: site.url + path },
    ];
    expect((await nodeOf(path, "BreadcrumbList")).itemListElement).toEqual(path === "/" ? undefined : crumbs);
    expect(await nodeOf(path, "Organization")).toMatchObject({
      ...{ name: "Citewell", url: `${site.url}/`, logo: `${site.url}/icon-512.png`, sameAs: companyFacts.profiles },
      contactPoint: [
        { contactType: "sales", email: "sales@brand.test" },
        { contactType: "customer support", email: "support@brand.test" },
      ],
    });
  });

  test("is in the sitemap with the date that it shows, and in llms.txt", async () => {
    const lastmod = updated ? `<lastmod>${updated}</lastmod>` : "";
    const sitemap = await fileAt("/sitemap.xml", "application/xml");
    expect(sitemap).toContain(`<loc>${site.url}${path}</loc>${lastmod}</url>`);
    expect(sitemap.match(/<loc>/g)).toHaveLength(PAGES.length);
    expect((await open(path)).each("time", "datetime")).toEqual(updated ? [updated] : []);
    const { meta } = await headOf(path);
    const line = `- [${name}](${site.url}${markdownOf(path)}): ${meta("description")}\n`;
    expect(await fileAt("/llms.txt", "text/plain")).toContain(line);
  });

  test("has a Markdown URL, which its head and headers name", async () => {
    const markdown = await visitor.get(markdownOf(path), { Accept: "*/*" });
    expect([markdown.status, markdown.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(markdown.headers.get("link")).toBe(`<${site.url}${path}>; rel="canonical"`);
    const { each, headers } = await open(path);
    expect(each('link[type="text/markdown"]', "href")).toEqual([markdownOf(path)]);
    const links = `<${markdownOf(path)}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"`;
    expect(headers.get("link")).toBe(links);
    expect((await visitor.get(path, { "If-None-Match": "*" })).headers.get("link")).toBe(links);
  });

  test("has in Markdown all its words in order, except in images and buttons", async () => {
    const { document, wordsOfEach } = readPage(await visitor.get(path));
    const { body: markdown } = await visitor.get(markdownOf(path));
    const drawn = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
    for (const element of document.querySelectorAll(drawn)) element.remove();
    const words = markdown.replace(/\[([^\]]*)\]\([^)]*\)|\\(?=\W)|[*~]{2}/g, "$1");
    let from = 0;
    for (const block of wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)")) {
      if (/\w\w+@|localhost|https?:/.test(block)) continue;
      for (const word of block.split(" ")) {
        const at = words.indexOf(word, from);
        expect(at, `${word} of “${block}”`).toBeGreaterThanOrEqual(from);
        from = at + word.length;
      }
    }
    expect(markdown.match(/^# /gm)).toHaveLength(1);
    expect(markdown).not.toMatch(/<\/?[a-z]+[ >]|Get Started|Learn More|Start free trial|Contact Sales/);
  });
});

test("search engines keep out of pages that are nobody's entrance by noindex alone", async () => {
  for (const path of ["/nothing-here", "/subscription", "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"])
    expect((await headOf(path)).meta("robots"), path).toContain("noindex");
  expect((await headOf("/nothing-here")).title).toBe("Page not found · Citewell");
});

test("the structured data of /pricing has its questions with their answers, and its glossary like llms.txt", async () => {
  const { document } = await open("/pricing");
  const textOf = (element: Element | null) => element?.textContent ?? "";
  const questions = [...document.querySelectorAll("details")].map((details) => {
    const answer = { "@type": "Answer", text: textOf(details.querySelector("p")) };
    return { "@type": "Question", name: textOf(details.querySelector("summary")), acceptedAnswer: answer };
  });
  expect((await nodeOf("/pricing", "FAQPage")).mainEntity).toEqual(questions);
  expect(questions.map(({ name }) => name)).toEqual([
    ...["How does the free trial work?", "How often are reports generated?", "Can I upgrade my plan?"],
    ...["What support do I get?", "How am I billed?", "How do I cancel?"],
  ]);
  const terms = [...document.querySelectorAll("[aria-labelledby=glossary] li")].map((item) => {
    const [name = "", description = ""] = textOf(item).split(/: (.*)/);
    return { "@type": "DefinedTerm", name, description };
  });
  const words = ["GEO", "AI Overviews", "AI Mode", "Brief", "Piece", "Forward-deployed engineer"];
  expect(terms.map(({ name }) => name)).toEqual(words);
  expect((await nodeOf("/pricing", "DefinedTermSet")).hasDefinedTerm).toEqual(terms);
  const llms = await fileAt("/llms.txt", "text/plain");
  for (const { name, description } of terms) expect(llms).toContain(`- ${name}: ${description}\n`);
});

/** A file for crawlers, of the given type. */
async function fileAt(path: string, type: string): Promise<string> {
  const { headers, body } = await visitor.get(path);
  expect(headers.get("content-type")).toContain(type);
  return body;
}

test("llms.txt describes the product, its features and areas, and how to write to it", async () => {
  const body = await fileAt("/llms.txt", "text/plain");
  expect(body).toMatch(/^# Citewell\n\n> Citewell helps brands and agencies raise their visibility in AI search/);
  const { words } = await open("/");
  const shown = [...body.matchAll(/^- ([\w ]+): (.+)$/gm)].slice(0, 6);
  for (const [, title, text] of shown) expect(words()).toContain(`${title}${text}`);
  expect(body).toContain("- Sales: <sales@brand.test>\n- Support: <support@brand.test>\n");
});

test("security.txt has a contact, and expires in less than a year", async () => {
  const body = await fileAt("/.well-known/security.txt", "text/plain");
  expect(body).toContain("Contact: mailto:support@brand.test\n");
  expect(body).toContain(`Canonical: ${site.url}/.well-known/security.txt\nPolicy: ${site.url}/security\n`);
  const days = (Date.parse(/Expires: (.+)/.exec(body)?.[1] ?? "") - Date.now()) / 86_400_000;
  expect(days > 270 && days < 366).toBe(true);
});

test("robots.txt allows search, user-fetch and training crawlers everything", async () => {
  const body = await fileAt("/robots.txt", "text/plain");
  const search = ["Googlebot", "Bingbot", "OAI-SearchBot", "Claude-SearchBot", "PerplexityBot"];
  const people = ["ChatGPT-User", "Claude-User", "Perplexity-User"];
  const training = ["GPTBot", "ClaudeBot", "Google-Extended", "Applebot-Extended", "CCBot", "*"];
  for (const crawler of [...search, ...people, ...training]) expect(body).toContain(`User-agent: ${crawler}\n`);
  for (const group of body.split("\n\n").filter((group) => group.includes("User-agent")))
    expect(group).toMatch(/\nAllow: \/$/);
  expect(body).not.toContain("Disallow");
  expect(body).toContain(`Sitemap: ${site.url}/sitemap.xml`);
});

test("the manifest and all icons exist", async () => {
  const { each } = await open("/");
  const { icons }: { icons: { src: string }[] } = JSON.parse((await visitor.get("/site.webmanifest")).body);
  const urls = [...each("link[rel*=icon], link[rel=manifest]", "href"), ...icons.map(({ src }) => src)];
  expect(urls).toHaveLength(7);
  for (const url of urls) expect((await visitor.get(url ?? "")).status, String(url)).toBe(200);
});

test.each<[accept: string, inMarkdown: boolean]>([
  ["text/markdown", true],
  ["text/markdown, text/html;q=0.9, */*;q=0.1", true],
  ["text/html, text/markdown", false],
  ["*/*", false],
  ["text/markdown;q=0, */*", false],
  ["", false],
])("a client that accepts %j gets Markdown: %s", async (accept, inMarkdown) => {
  const answer = await visitor.get("/pricing", { Accept: accept });
  expect([answer.status, answer.headers.get("vary")]).toEqual([200, "Accept"]);
  expect(answer.headers.get("content-type")).toContain(inMarkdown ? "text/markdown" : "text/html");
  if (inMarkdown) expect(answer.body).toBe((await visitor.get("/pricing.md")).body);
});

test("an unknown path has its not-found page in Markdown too, and the sign-up has none", async () => {
  for (const path of ["/nothing-here.md", "/nothing-here"]) {
    const { status, body } = await visitor.get(path, { Accept: "text/markdown" });
    expect([status, body.includes("# Oops! Page not found")]).toEqual([404, true]);
  }
  const { headers } = await visitor.get("/subscription", { Accept: "text/markdown" });
  expect(headers.get("content-type")).toContain("text/html");
  expect((await visitor.get("/subscription.md")).status).toBe(404);
  expect((await visitor.get("/index.md")).body).toMatch(/For brands.*\n+.*\n+ *sales@brand\.test\n/);
});
