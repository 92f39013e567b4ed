import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { ENTERPRISE_PLAN, ENTERPRISE_PLATFORMS, PLAN_FEATURES } from "../../../app/contract/plans";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { PLANS } from "../../support/plans";
import { readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* How assistants read the site: each public page in Markdown, and llms.txt. */

const { site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

const MARKDOWN = { Accept: "text/markdown" };
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

describe.each(PUBLIC_PATHS)("%s in Markdown", (path) => {
  const markdown = path === "/" ? "/index.md" : `${path}.md`;

  test("names its page in its headers, and is named by it, in head and headers, also of an unchanged page", async () => {
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

  test("has all words of its page but those in images and buttons, one heading of the first level, and no HTML", async () => {
    const { document, wordsOfEach } = readPage(await visitor.get(path));
    const left = "main :is(nav, svg, .btn, [aria-hidden=true], [data-markdown=skip])";
    for (const element of document.querySelectorAll(left)) element.remove();
    const { body } = await visitor.get(markdown);
    expect((await visitor.get(path, MARKDOWN)).body, "of a client that prefers Markdown").toBe(body);
    const words = lettersOf(body.replace(/\]\([^)]*\)/g, ""));
    const blocks = wordsOfEach("main :is(h1, h2, h3, p, li > span, td, figcaption, address)");
    expect(blocks.filter((block) => !words.includes(lettersOf(block)))).toEqual([]);
    expect(body.match(/^# /gm)).toHaveLength(1);
    expect(body).not.toMatch(/<\/?[a-z]+[ >]/);
    expect(body, "words of buttons").not.toMatch(/Get Started|Learn More|Start free trial|Contact Sales/);
  });
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
