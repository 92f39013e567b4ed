import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How search engines and assistants read the site: heads, structured data, files for crawlers, and pages in Markdown. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

/** A page, its structured data, and the values of its meta tags. */
async function headOf(path: string) {
  const page = await open(path);
  const [json = "{}"] = page.wordsOfEach('script[type="application/ld+json"]');
  const { "@context": context, "@graph": nodes = [] }: Record<string, Record<string, unknown>[]> = JSON.parse(json);
  const meta = (key: string) => page.each(`meta[name="${key}"], meta[property="${key}"]`, "content").join();
  return { ...page, title: page.document.title, meta, context, nodes };
}
const nodeOf = async (path: string, type: string) =>
  (await headOf(path)).nodes.find((node) => node["@type"] === type) ?? {};

/** A file for crawlers, of the given type. */
async function fileAt(path: string, type = "text/plain"): Promise<string> {
  const { headers, body } = await visitor.get(path);
  expect(headers.get("content-type")).toContain(type);
  return body;
}

const LEGAL = ["BreadcrumbList"];

/** Every public page. */
const PAGES: [path: string, name: string, title: string, updated: string | undefined, types: string[]][] = [
  ["/", "Home", "Brand visibility in AI search", undefined, ["SoftwareApplication"]],
  ["/pricing", "Pricing", "Pricing", undefined, ["SoftwareApplication", "FAQPage", ...LEGAL]],
  ["/privacy", "Privacy Policy", "Privacy Policy", "2025-08-14", LEGAL],
  ["/terms", "Terms & Conditions", "Terms & Conditions", "2025-08-14", LEGAL],
  ["/security", "Security", "Security", "2026-11-23", LEGAL],
];
const descriptions = Promise.all(PAGES.map(async ([path]) => (await headOf(path)).meta("description")));

describe.each(PAGES)("%s", (path, name, pageTitle, updated, types) => {
  const markdownPath = `${path === "/" ? "/index" : path}.md`;

  test("has title, description, its own URL and share image, for engines and previews", async () => {
    const { title, meta, each, words } = await headOf(path);
    const [description, image, url] = [meta("description"), meta("og:image"), `${site.url}${path}`];
    expect(title).toBe(`${pageTitle} · Citewell`);
    expect(description.length > 50 && description.length <= 160).toBe(true);
    expect((await descriptions).filter((other) => other === description)).toHaveLength(1);
    expect(each("link[rel=canonical]", "href")).toEqual([url]);
    expect(each("link[rel*=icon], link[rel=manifest]", "href")).toHaveLength(4);
    const alt = `The logo of Citewell and the words “${words("h1")}”`;
    const expected = {
      ...{ robots: "index, follow, max-snippet:-1, max-image-preview:large", "og:url": url, "og:type": "website" },
      ...{ "og:title": title, "og:description": description, "og:image:alt": alt, "og:site_name": "Citewell" },
      ...{ "og:image:type": "image/png", "og:image:width": "1200", "og:image:height": "630", "og:locale": "en_US" },
      ...{ "twitter:card": "summary_large_image", "twitter:title": title, "twitter:description": description },
      ...{ "twitter:image": image, "twitter:image:alt": alt, viewport: "width=device-width, initial-scale=1" },
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, meta(key)]))).toEqual(expected);
    expect(image).toBe(`${site.url}/share/${path === "/" ? "home" : path.slice(1)}.png`);
    const png = new DataView(await (await fetch(image)).arrayBuffer());
    expect([png.getUint32(16), png.getUint32(20), png.byteLength < 60_000]).toEqual([1200, 630, true]);
  });

  test("has structured data of its types, whose references resolve, with its title, description and date", async () => {
    const { title, meta, context, nodes } = await headOf(path);
    expect(context).toBe("https://schema.org");
    expect(nodes.map((node) => node["@type"])).toEqual(["Organization", "WebSite", "WebPage", ...types]);
    const ids = nodes.map((node) => node["@id"]);
    for (const [, id] of JSON.stringify(nodes).matchAll(/\{"@id":"([^"]+)"\}/g)) expect(ids).toContain(id);
    const page = { url: site.url + path, name: title, description: meta("description") };
    expect(await nodeOf(path, "WebPage")).toMatchObject({ ...page, ...(updated && { dateModified: updated }) });
    const crumbs = [
      { "@type": "ListItem", position: 1, name: "Home", item: `${site.url}/` },
      { "@type": "ListItem", position: 2, name, item: site.url + path },
    ];
    expect((await nodeOf(path, "BreadcrumbList")).itemListElement).toEqual(path === "/" ? undefined : crumbs);
    expect(await nodeOf(path, "Organization")).toMatchObject({
      ...{ name: "Citewell", url: `${site.url}/`, logo: `${site.url}/icon-512.png`, sameAs: company.profiles },
      contactPoint: [
        { contactType: "sales", email: company.salesEmail },
        { contactType: "customer support", email: company.supportEmail },
      ],
    });
  });

  test("is in the sitemap with the date that it shows, and in llms.txt", async () => {
    const { each, meta } = await headOf(path);
    const sitemap = await fileAt("/sitemap.xml", "application/xml");
    const lastmod = updated ? `<lastmod>${updated}</lastmod>` : "";
    expect(sitemap).toContain(`<loc>${site.url}${path}</loc>${lastmod}</url>`);
    expect(sitemap.match(/<loc>/g)).toHaveLength(PAGES.length);
    expect(each("time", "datetime")).toEqual(updated ? [updated] : []);
    expect(await fileAt("/llms.txt")).toContain(`- [${name}](${site.url}${markdownPath}): ${meta("description")}\n`);
  });

  test("has in Markdown all its words but those in images and buttons; head and headers name its URL", async () => {
    const { body: markdown, headers } = await visitor.get(markdownPath, { Accept: "*/*" });
    expect([headers.get("content-type"), headers.get("link")]).toEqual([
      "text/markdown; charset=utf-8",
      `<${site.url}${path}>; rel="canonical"`,
    ]);
    const { document, wordsOfEach, each, ...page } = readPage(await visitor.get(path));
    expect(each('link[type="text/markdown"]', "href")).toEqual([markdownPath]);
    const links = `<${markdownPath}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"`;
    const unchanged = await visitor.get(path, { "If-None-Match": "*" });
    expect([page, unchanged].map(({ headers }) => headers.get("link"))).toEqual([links, links]);
    const drawn = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
    for (const element of document.querySelectorAll(drawn)) element.remove();
    const plain = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
    const words = plain(markdown.replace(/\]\([^)]*\)/g, ""));
    const blocks = wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)");
    expect(blocks.filter((block) => !words.includes(plain(block)))).toEqual([]);
    expect(markdown.match(/^# /gm)).toHaveLength(1);
    expect(markdown).not.toMatch(/<\/?[a-z]+[ >]|Get Started|Learn More|Start free trial|Contact Sales/);
  });
});

test("search engines keep out of pages that are nobody's entrance by noindex alone", async () => {
  const [unknown, form] = [await headOf("/nothing-here"), await headOf("/subscription")];
  for (const { meta } of [unknown, form]) expect(meta("robots")).toContain("noindex");
  expect(unknown.title).toBe("Page not found · Citewell");
});

test("the structured data of /pricing has its questions with their answers", async () => {
  const { wordsOfEach } = await open("/pricing");
  const [names, answers] = [wordsOfEach("details summary"), wordsOfEach("details p")];
  expect(names).toEqual([
    "How often are reports generated?",
    "Can I upgrade my plan?",
    "Can I add domains and teammates?",
    "What support do I get?",
    "How am I billed?",
    "How do I cancel?",
  ]);
  const questions = names.map((name, index) => {
    return { "@type": "Question", name, acceptedAnswer: { "@type": "Answer", text: answers[index] } };
  });
  expect((await nodeOf("/pricing", "FAQPage")).mainEntity).toEqual(questions);
});

test("llms.txt describes the product with its features and areas, and security.txt expires in time", async () => {
  const body = await fileAt("/llms.txt");
  expect(body).toMatch(/^# Citewell\n\n> Citewell helps brands and agencies raise their visibility in AI search/);
  const { words } = await open("/");
  const shown = [...body.matchAll(/^- ([\w ]+): (.+)$/gm)].slice(0, 6);
  for (const [, title, text] of shown) expect(words()).toContain(`${title}${text}`);
  expect(body).toContain(`- Sales: <${company.salesEmail}>\n- Support: <${company.supportEmail}>\n`);

  const security = await fileAt("/.well-known/security.txt");
  expect(security).toContain(`Contact: mailto:${company.supportEmail}\n`);
  expect(security).toContain(`Canonical: ${site.url}/.well-known/security.txt\nPolicy: ${site.url}/security\n`);
  const days = (Date.parse(/Expires: (.+)/.exec(security)?.[1] ?? "") - Date.now()) / 86_400_000;
  expect(days > 270 && days < 366).toBe(true);
});

test("robots.txt allows search, user-fetch and training crawlers everything", async () => {
  const body = await fileAt("/robots.txt");
  for (const crawler of [
    ...["Googlebot", "Bingbot", "OAI-SearchBot", "Claude-SearchBot", "PerplexityBot"],
    ...["ChatGPT-User", "Claude-User", "Perplexity-User"],
    ...["GPTBot", "ClaudeBot", "Google-Extended", "Applebot-Extended", "CCBot", "*"],
  ])
    expect(body).toContain(`User-agent: ${crawler}\n`);
  for (const group of body.split("\n\n").filter((group) => group.includes("User-agent")))
    expect(group).toMatch(/\nAllow: \/$/);
  expect(body).not.toContain("Disallow");
  expect(body).toContain(`Sitemap: ${site.url}/sitemap.xml`);
});

test.each<[accept: string, inMarkdown: boolean]>([
  ["text/markdown, text/html;q=0.9, */*;q=0.1", true],
  ["text/html, text/markdown", false],
  ["*/*", false],
  ["text/markdown;q=0, */*", false],
])("a client that accepts %j gets Markdown: %s", async (accept, inMarkdown) => {
  const answer = await visitor.get("/pricing", { Accept: accept });
  expect([answer.status, answer.headers.get("vary")]).toEqual([200, "Accept"]);
  expect(answer.headers.get("content-type")).toContain(inMarkdown ? "text/markdown" : "text/html");
  if (inMarkdown) expect(answer.body).toBe((await visitor.get("/pricing.md")).body);
});

test("an unknown path has its not-found page in Markdown too, and the sign-up has none", async () => {
  const inMarkdown = (path: string) => visitor.get(path, { Accept: "text/markdown" });
  for (const { status, body } of [await inMarkdown("/nothing-here.md"), await inMarkdown("/nothing-here")])
    expect([status, body]).toEqual([404, expect.stringContaining("# Oops! Page not found")]);
  expect((await inMarkdown("/subscription")).headers.get("content-type")).toContain("text/html");
  expect((await visitor.get("/subscription.md")).status).toBe(404);
  expect((await visitor.get("/index.md")).body).toMatch(new RegExp(`For brands.*\\n+.*\\n+ *${company.salesEmail}\\n`));
});
