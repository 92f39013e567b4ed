import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How assistants read the site: each public page in Markdown, and llms.txt. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
const open = pageReader(visitor);

const MARKDOWN = { Accept: "text/markdown" };
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

describe.each([
  { path: "/", markdown: "/index.md" },
  { path: "/pricing", markdown: "/pricing.md" },
  { path: "/privacy", markdown: "/privacy.md" },
  { path: "/terms", markdown: "/terms.md" },
  { path: "/security", markdown: "/security.md" },
])("$path in Markdown", ({ path, markdown }) => {
  test("names its page in its headers", async () => {
    const answer = await visitor.get(markdown, { Accept: "*/*" });
    expect(answer).toHaveHeader("Content-Type", "text/markdown; charset=utf-8");
    expect(answer).toHaveHeader("Link", `<${site.url}${path}>; rel="canonical"`);
  });

  test("is named by its page, in head and headers, also of an unchanged page", async () => {
    const page = readPage(await visitor.get(path));
    expect(page.each('link[type="text/markdown"]', "href")).toEqual([markdown]);
    const links = `<${markdown}>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"`;
    expect(page).toHaveHeader("Link", links);
    expect(await visitor.get(path, { "If-None-Match": "*" })).toHaveHeader("Link", links);
  });

  test("has all words of its page but those in images and buttons", async () => {
    const { document, wordsOfEach } = readPage(await visitor.get(path));
    const left = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
    for (const element of document.querySelectorAll(left)) element.remove();
    const words = lettersOf((await visitor.get(markdown)).body.replace(/\]\([^)]*\)/g, ""));
    const blocks = wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)");
    expect(blocks.filter((block) => !words.includes(lettersOf(block)))).toEqual([]);
  });

  test("has one heading of the first level, no HTML and no buttons", async () => {
    const { body } = await visitor.get(markdown);
    expect(body.match(/^# /gm)).toHaveLength(1);
    expect(body).not.toMatch(/<\/?[a-z]+[ >]/);
    expect(body).not.toMatch(/Get Started|Learn More|Start free trial|Contact Sales/);
  });
});

describe("a client", () => {
  test("that prefers Markdown gets it", async () => {
    const answer = await visitor.get("/pricing", { Accept: "text/markdown, text/html;q=0.9, */*;q=0.1" });
    expect(answer).toHaveStatus(200);
    expect(answer).toHaveHeader("Vary", "Accept");
    expect(answer).toHaveHeader("Content-Type", /^text\/markdown/);
    expect(answer.body).toBe((await visitor.get("/pricing.md")).body);
  });

  test.each(["text/html, text/markdown", "*/*", "text/markdown;q=0, */*"])(
    "that accepts '%s' gets HTML",
    async (Accept) => {
      const answer = await visitor.get("/pricing", { Accept });
      expect(answer).toHaveStatus(200);
      expect(answer).toHaveHeader("Vary", "Accept");
      expect(answer).toHaveHeader("Content-Type", /^text\/html/);
    },
  );
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

test("home in Markdown ends with the address of sales", async () => {
  const { body } = await visitor.get("/index.md");
  expect(body.slice(body.lastIndexOf("For brands"))).toContain(`${company.salesEmail}\n`);
});

describe("llms.txt", () => {
  test("is plain text, and begins with what the product is", async () => {
    const answer = await visitor.get("/llms.txt");
    expect(answer).toHaveHeader("Content-Type", /^text\/plain/);
    expect(answer.body).toMatch(
      new RegExp(
        `^# ${company.name}\\n\\n> ${company.name} helps brands and agencies raise their visibility in AI search`,
      ),
    );
  });

  test("describes the three features and the three areas as home does", async () => {
    const { words } = await open("/");
    const described = [...(await visitor.get("/llms.txt")).body.matchAll(/^- ([\w ]+): (.+)$/gm)].slice(0, 6);
    expect(described).toHaveLength(6);
    for (const [, title, text] of described) expect(words()).toContain(`${title}${text}`);
  });

  test("has the addresses of sales and support", async () => {
    expect((await visitor.get("/llms.txt")).body).toContain(
      `- Sales: <${company.salesEmail}>\n- Support: <${company.supportEmail}>\n`,
    );
  });
});
