import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How search engines read the site: heads, structured data and the files for crawlers. */

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

const PAGES = [
  { path: "/", name: "Home", titled: "Brand visibility in AI search", types: ["SoftwareApplication"] },
  {
    path: "/pricing",
    name: "Pricing",
    titled: "Pricing",
    types: ["SoftwareApplication", "FAQPage", "BreadcrumbList"],
  },
  {
    path: "/privacy",
    name: "Privacy Policy",
    titled: "Privacy Policy",
    types: ["BreadcrumbList"],
    updated: "2025-08-14",
  },
  {
    path: "/terms",
    name: "Terms & Conditions",
    titled: "Terms & Conditions",
    types: ["BreadcrumbList"],
    updated: "2025-08-14",
  },
  { path: "/security", name: "Security", titled: "Security", types: ["BreadcrumbList"], updated: "2026-11-23" },
];

describe.each(PAGES)("$path", ({ path, name, titled, types, updated }) => {
  const url = () => `${site.url}${path}`;

  test("has a title, and a description of 50 to 160 characters that no other page has", async () => {
    const { title, meta } = await headOf(path);
    expect(title).toBe(`${titled} · ${company.name}`);
    const description = meta("description");
    expect(description.length).toBeGreaterThan(50);
    expect(description.length).toBeLessThanOrEqual(160);
    const all = await Promise.all(PAGES.map(async (page) => (await headOf(page.path)).meta("description")));
    expect(all.filter((other) => other === description)).toHaveLength(1);
  });

  test("names its own URL, and its icons", async () => {
    const { each } = await headOf(path);
    expect(each("link[rel=canonical]", "href")).toEqual([url()]);
    expect(each("link[rel*=icon], link[rel=manifest]", "href")).toHaveLength(4);
  });

  test("has what search engines and previews read", async () => {
    const { title, meta, words } = await headOf(path);
    const alt = `The logo of ${company.name} and the words “${words("h1")}”`;
    const expected = {
      robots: "index, follow, max-snippet:-1, max-image-preview:large",
      viewport: "width=device-width, initial-scale=1",
      "og:url": url(),
      "og:type": "website",
      "og:title": title,
      "og:description": meta("description"),
      "og:image": `${site.url}/share/${path === "/" ? "home" : path.slice(1)}.png`,
      "og:image:alt": alt,
      "og:image:type": "image/png",
      "og:image:width": "1200",
      "og:image:height": "630",
      "og:locale": "en_US",
      "og:site_name": company.name,
      "twitter:card": "summary_large_image",
      "twitter:title": title,
      "twitter:description": meta("description"),
      "twitter:image": meta("og:image"),
      "twitter:image:alt": alt,
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, meta(key)]))).toEqual(expected);
  });

  test("has a share image of 1200 × 630 pixels and less than 60 KB", async () => {
    const image = (await headOf(path)).meta("og:image");
    const png = new DataView(await (await fetch(image)).arrayBuffer());
    expect(png.getUint32(16), "width").toBe(1200);
    expect(png.getUint32(20), "height").toBe(630);
    expect(png.byteLength).toBeLessThan(60_000);
  });

  test("has structured data of its types, whose references resolve", async () => {
    const { context, nodes } = await dataOf(path);
    expect(context).toBe("https://schema.org");
    expect(nodes.map((node) => node["@type"])).toEqual(["Organization", "WebSite", "WebPage", ...types]);
    const ids = nodes.map((node) => node["@id"]);
    const referred = [...JSON.stringify(nodes).matchAll(/\{"@id":"([^"]+)"\}/g)].map(([, id]) => id);
    expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("is described by the structured data with its URL, title, description and date", async () => {
    const { title, meta } = await headOf(path);
    const page = { url: url(), name: title, description: meta("description") };
    const dated = updated === undefined ? page : { ...page, dateModified: updated };
    expect((await dataOf(path)).nodeOf("WebPage")).toMatchObject(dated);
  });

  test("names the company in the structured data", async () => {
    expect((await dataOf(path)).nodeOf("Organization")).toMatchObject({
      name: company.name,
      url: `${site.url}/`,
      logo: `${site.url}/icon-512.png`,
      sameAs: company.profiles,
      contactPoint: [
        { contactType: "sales", email: company.salesEmail },
        { contactType: "customer support", email: company.supportEmail },
      ],
    });
  });

  test("has its place below home in the structured data", async () => {
    const crumbs = [
      { "@type": "ListItem", position: 1, name: "Home", item: `${site.url}/` },
      { "@type": "ListItem", position: 2, name, item: url() },
    ];
    const list = (await dataOf(path)).nodeOf("BreadcrumbList");
    expect(list?.itemListElement).toEqual(path === "/" ? undefined : crumbs);
  });

  test("is in the sitemap with the date that it shows", async () => {
    const { each } = await open(path);
    const { body } = await visitor.get("/sitemap.xml");
    const lastmod = updated ? `<lastmod>${updated}</lastmod>` : "";
    expect(body).toContain(`<loc>${url()}</loc>${lastmod}</url>`);
    expect(each("time", "datetime")).toEqual(updated ? [updated] : []);
  });

  test("is in llms.txt with its Markdown and description", async () => {
    const { meta } = await headOf(path);
    const markdown = `${path === "/" ? "/index" : path}.md`;
    expect((await visitor.get("/llms.txt")).body).toContain(
      `- [${name}](${site.url}${markdown}): ${meta("description")}\n`,
    );
  });
});

test("the sitemap is XML, and has no other page", async () => {
  const sitemap = await visitor.get("/sitemap.xml");
  expect(sitemap).toHaveHeader("Content-Type", /^application\/xml/);
  expect(sitemap.body.match(/<loc>/g)).toHaveLength(PAGES.length);
});

test.each(["/nothing-here", "/subscription"])("search engines keep out of %s by noindex alone", async (path) => {
  expect((await headOf(path)).meta("robots")).toContain("noindex");
});

test("the not-found page has its title", async () => {
  expect((await headOf("/nothing-here")).title).toBe(`Page not found · ${company.name}`);
});

test("the structured data of /pricing has its six questions with their answers", async () => {
  const { wordsOfEach } = await open("/pricing");
  const questions = wordsOfEach("details summary");
  const answers = wordsOfEach("details p");
  expect(questions).toEqual([
    "How often are reports generated?",
    "Can I upgrade my plan?",
    "Can I add domains and teammates?",
    "What support do I get?",
    "How am I billed?",
    "How do I cancel?",
  ]);
  expect((await dataOf("/pricing")).nodeOf("FAQPage")?.mainEntity).toEqual(
    questions.map((name, index) => ({
      "@type": "Question",
      name,
      acceptedAnswer: { "@type": "Answer", text: answers[index] },
    })),
  );
});

describe("robots.txt", () => {
  test("allows all crawlers everything, and names the sitemap", async () => {
    const { body } = await visitor.get("/robots.txt");
    expect(body).toBe(`User-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`);
  });
});

describe("security.txt", () => {
  test("says whom to write to", async () => {
    const { body } = await visitor.get("/.well-known/security.txt");
    expect(body).toContain(`Contact: mailto:${company.supportEmail}\n`);
    expect(body).toContain(`Canonical: ${site.url}/.well-known/security.txt\nPolicy: ${site.url}/security\n`);
  });

  test("expires in nine to twelve months", async () => {
    const { body } = await visitor.get("/.well-known/security.txt");
    const days = (Date.parse(/Expires: (.+)/.exec(body)?.[1] ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(270);
    expect(days).toBeLessThan(366);
  });
});
