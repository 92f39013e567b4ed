import { HtmlValidate } from "html-validate";
import { afterAll, beforeEach, expect, test } from "vitest";
import { company } from "../../../app/company";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { fields } from "../../support/person";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Every page: header and footer, valid HTML, working links. Public pages have no framework script. */

const CONSOLE_URL = "https://console.test";
const { upstream, visitor, dispose } = await startVisitedSite({ vars: { CONSOLE_URL } });
afterAll(dispose);
beforeEach(() => void upstream.answers((response) => response.writeHead(204).end()));
const open = pageReader(visitor);

const statuses = new Map<string, Promise<number>>();
/** The status at a path, which is asked for once: all pages have the same header and footer. */
function statusOf(path: string): Promise<number> {
  const status = statuses.get(path) ?? visitor.get(path).then((answer) => answer.status);
  statuses.set(path, status);
  return status;
}

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: { "heading-level": "error", "no-missing-references": "error" },
});
/** Lists the errors in some HTML, one per line. */
async function htmlErrorsIn(html: string) {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) => messages.map(({ line, message }) => `line ${line}: ${message}`));
}

const publicPages = [...PUBLIC_PATHS, "/nothing-here"];
const signUpPages = [signUpPath(""), signUpPath(fields.package_id)];
/** The specification's headings. Any other page has a heading of its own. */
const HEADINGS: Record<string, string> = {
  "/": "Be the brand that AI search cites",
  "/pricing": "Pricing that scales with your prompts",
  "/privacy": "Privacy Policy",
  "/terms": "Terms & Conditions",
  "/security": "Security",
  "/nothing-here": "Oops! Page not found",
  [signUpPath("")]: "Complete Your Subscription",
  [signUpPath(fields.package_id)]: "Complete Your Subscription",
};
const HEADER_LINKS = "header nav li > a";

test("home has the links of header and footer, the email addresses and the current year", async () => {
  const { words, links, each } = await open("/");
  expect(links(HEADER_LINKS)).toEqual([
    "Home: /",
    "Pricing: /pricing",
    `Customer Console: ${CONSOLE_URL}`,
    "Start free trial: /pricing#plans",
  ]);
  expect(links("header > div > a")).toEqual([`${company.name}: /`]);
  expect(each("header > div > a", "aria-label")).toEqual([`${company.name}, home`]);
  expect(words("header button[hidden]"), "shown by the stylesheet where popovers are known").toBe("Menu");
  expect(each("header button", "popovertarget")).toEqual(each("header nav", "id"));
  expect(links("footer nav li > a")).toEqual([
    "Pricing: /pricing",
    `Contact Sales: mailto:${company.salesEmail}`,
    `Contact Support: mailto:${company.supportEmail}`,
    "Privacy Policy: /privacy",
    "Terms & Conditions: /terms",
    "Security: /security",
  ]);
  expect(words("footer nav li p")).toBe(`${company.salesEmail} ${company.supportEmail}`);
  expect(words("footer")).toContain(`© ${new Date().getUTCFullYear()} ${company.name}, Inc.`);
});

const ALL = [...publicPages, ...signUpPages];

test.each(ALL)("%s is English and valid HTML with one heading, and usable without its stylesheet", async (path) => {
  const { document, wordsOfEach, each, links, body } = await open(path);
  expect(document.documentElement.lang).toBe("en");
  expect(wordsOfEach("h1")).toEqual([HEADINGS[path] ?? expect.stringMatching(/\w/)]);
  const parts = [...document.body.children].slice(0, 4).map(({ tagName }) => tagName);
  expect(parts).toEqual(["A", "HEADER", "MAIN", "FOOTER"]);
  expect(links("body > a")).toEqual(["Skip to content: #main"]);
  expect(await htmlErrorsIn(body)).toEqual([]);
  expect(each("svg:not([width][height])", "class"), "drawings without a size").toEqual([]);
  const PARTS = "a, button, label, img, summary";
  const stuck = [...document.querySelectorAll(`${PARTS}, summary + fieldset`)].filter(
    ({ previousSibling, previousElementSibling: before }) => before === previousSibling && before?.matches(PARTS),
  );
  expect(stuck.map(({ outerHTML }) => outerHTML)).toEqual([]);
});

test.each(ALL)("%s has home's header and footer, its own link is current, and no link is broken", async (path) => {
  const [page, home] = [await open(path), await open("/")];
  const headerLinks = home.links(HEADER_LINKS);
  // A sign-up has no button away from it.
  expect(page.links(HEADER_LINKS)).toEqual(publicPages.includes(path) ? headerLinks : headerLinks.slice(0, -1));
  expect(page.each("[aria-current=page]", "href")).toEqual(
    home.each(HEADER_LINKS, "href").filter((href) => href === path),
  );
  for (const part of ["header > div > a", "header button", "footer"]) expect(page.words(part)).toBe(home.words(part));
  expect(page.links("footer a")).toEqual(home.links("footer a"));
  const broken: string[] = [];
  for (const href of new Set(page.each("a, link[href]", "href").map((href) => href ?? ""))) {
    const isFound = href.startsWith("#")
      ? page.document.getElementById(href.slice(1)) !== null
      : href.startsWith("/")
        ? (await statusOf(href.split("#")[0] ?? "")) === 200
        : /^(https?:\/\/|mailto:)/.test(href);
    if (!isFound) broken.push(href);
  }
  expect(broken, "broken links").toEqual([]);
});

test.each(publicPages)("%s needs no script, calls no backend, and prerenders all but the sign-up", async (path) => {
  const { wordsOfEach, each, body } = readPage(await visitor.get(path));
  expect(wordsOfEach("script:not([type='application/ld+json'], [type=speculationrules])")).toEqual([
    // Marks the header once the page is scrolled.
    expect.stringContaining('addEventListener("scroll"'),
  ]);
  expect(each("script[src], link[rel=modulepreload]", "src")).toEqual([]);
  expect(body, "Remix and its prefetching").not.toMatch(/__remix|data-discover/);
  expect(each("form, input, button:not([popovertarget])", "name")).toEqual([]);
  expect(upstream.calls).toEqual([]);
  const [rules = "{}"] = wordsOfEach("script[type=speculationrules]");
  expect(JSON.parse(rules).prerender[0].where.and[1].not.href_matches).toContain("/subscription*");
});

test("the form is valid HTML with errors too", async () => {
  const answer = await visitor.post("email=nobody&phone=1");
  expect(answer).toHaveStatus(422);
  expect(await htmlErrorsIn(answer.body)).toEqual([]);
});
