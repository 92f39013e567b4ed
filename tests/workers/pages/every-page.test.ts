import { HtmlValidate } from "html-validate";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { fields } from "../../support/person";
import { pageReader } from "../../support/visitors/page";
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

const publicPages = [
  { path: "/", heading: "Be the brand that AI search cites" },
  { path: "/pricing", heading: "Pricing that scales with your prompts" },
  { path: "/privacy", heading: "Privacy Policy" },
  { path: "/terms", heading: "Terms & Conditions" },
  { path: "/security", heading: "Security" },
  { path: "/nothing-here", heading: "Oops! Page not found" },
];
const signUpPages = [
  { path: "/subscription", heading: "Complete Your Subscription" },
  { path: `/subscription/${fields.package_id}`, heading: "Complete Your Subscription" },
];
const allPages = [...publicPages, ...signUpPages];

const HEADER_LINKS = ["Home: /", "Pricing: /pricing", `Customer Console: ${CONSOLE_URL}`];

describe.each(allPages)("$path", ({ path, heading }) => {
  test("is English, and has its heading", async () => {
    const { words, document } = await open(path);
    expect(document.documentElement.lang).toBe("en");
    expect(words("h1")).toBe(heading);
  });

  test("has a link past the header, header, main part and footer, in this order", async () => {
    const { document, links } = await open(path);
    expect([...document.body.children].slice(0, 4).map(({ tagName }) => tagName)).toEqual([
      "A",
      "HEADER",
      "MAIN",
      "FOOTER",
    ]);
    expect(links("body > a")).toEqual(["Skip to content: #main"]);
  });

  test("has a logo that leads home", async () => {
    const { links, each } = await open(path);
    expect(links("header > div > a")).toEqual([`${company.name}: /`]);
    expect(each("header > div > a", "aria-label")).toEqual([`${company.name}, home`]);
  });

  test("has a menu button, which opens the header's links", async () => {
    const { words, each } = await open(path);
    expect(words("header button[hidden]"), "shown by the stylesheet where popovers are known").toBe("Menu");
    expect(each("header button", "popovertarget")).toEqual(each("header nav", "id"));
  });

  test("has the footer's links, email addresses and the current year", async () => {
    const { words, links } = await open(path);
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

  test("has a size for each drawing and icon, also without its stylesheet", async () => {
    expect((await open(path)).each("svg:not([width][height])", "class")).toEqual([]);
  });

  test("keeps links, buttons and choices apart, also without its stylesheet", async () => {
    const PARTS = "a, button, label, img";
    const stuck = [...(await open(path)).document.querySelectorAll(PARTS)].filter(
      ({ previousSibling, previousElementSibling: before }) => before === previousSibling && before?.matches(PARTS),
    );
    expect(stuck.map(({ outerHTML }) => outerHTML)).toEqual([]);
  });

  test("is valid HTML", async () => {
    expect(await htmlErrorsIn((await open(path)).body)).toEqual([]);
  });

  test("has links that lead to a page of the site, a place on the page, another site or an email", async () => {
    const { document, each } = await open(path);
    const broken: string[] = [];
    for (const href of new Set(each("a, link[href]", "href").map((href) => href ?? ""))) {
      const isFound = href.startsWith("#")
        ? document.getElementById(href.slice(1)) !== null
        : href.startsWith("/")
          ? (await statusOf(href.split("#")[0] ?? "")) === 200
          : /^(https?:\/\/|mailto:)/.test(href);
      if (!isFound) broken.push(href);
    }
    expect(broken, "broken links").toEqual([]);
  });
});

test.each(publicPages)("$path has the header's links and a trial button", async ({ path }) => {
  expect((await open(path)).links("header nav li > a")).toEqual([...HEADER_LINKS, "Start free trial: /pricing#plans"]);
});

test.each(signUpPages)("$path has the header's links, and no button away from the form", async ({ path }) => {
  expect((await open(path)).links("header nav li > a")).toEqual(HEADER_LINKS);
});

test.each(["/", "/pricing"])("%s is marked as the current page in the header", async (path) => {
  expect((await open(path)).each("[aria-current=page]", "href")).toEqual([path]);
});

test.each(allPages.filter(({ path }) => path !== "/" && path !== "/pricing"))(
  "$path marks no link of the header as current",
  async ({ path }) => {
    expect((await open(path)).each("[aria-current=page]", "href")).toEqual([]);
  },
);

describe.each(publicPages)("$path", ({ path }) => {
  const SCRIPTS = "script:not([type='application/ld+json'], [type=speculationrules])";

  test("has one inline script, which marks the header once the page is scrolled more than 10 px", async () => {
    const scripts = (await open(path)).wordsOfEach(SCRIPTS);
    expect(scripts).toHaveLength(1);
    expect(scripts.join("\n")).toContain('addEventListener("scroll"');
    expect(scripts.join("\n")).toContain("mark(scrollY>10)");
  });

  test("loads no framework", async () => {
    const { each, body } = await open(path);
    expect(each("script[src], link[rel=modulepreload]", "src")).toEqual([]);
    expect(body).not.toContain("__remix");
    expect(body, "Remix's prefetching").not.toContain("data-discover");
  });

  test("lets browsers prerender its links, but not the sign-up", async () => {
    const [rules = "{}"] = (await open(path)).wordsOfEach("script[type=speculationrules]");
    expect(JSON.parse(rules).prerender[0].where.and[1].not.href_matches).toContain("/subscription*");
  });

  test("has no form, and no buttons that need a script", async () => {
    const { document } = await open(path);
    expect(document.querySelectorAll("form, input, button:not([popovertarget])")).toHaveLength(0);
  });

  test("calls no backend", async () => {
    await visitor.get(path);
    expect(upstream.calls).toEqual([]);
  });
});

test("the form is valid HTML with errors too", async () => {
  const answer = await visitor.post("email=nobody&phone=1");
  expect(answer).toHaveStatus(422);
  expect(await htmlErrorsIn(answer.body)).toEqual([]);
});
