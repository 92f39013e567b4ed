import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { signUpPath } from "../../../app/contract/sign-up-path";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PUBLIC_PATHS } from "../../../app/seo/public-paths";
import { PLANS } from "../../support/plans";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Required statements of the privacy policy and the terms, and the places where prices mention taxes. */

const withTaxes = await startVisitedSite({ vars: { AUTOMATIC_TAX: "true" } });
const withoutTaxes = await startVisitedSite();
afterAll(() => Promise.all([withTaxes.dispose(), withoutTaxes.dispose()]));
const open = pageReader(withTaxes.visitor);
const openUntaxed = pageReader(withoutTaxes.visitor);
const PLAN = signUpPath(PLANS.STANDARD.packageId);

test.each([
  {
    path: "/privacy",
    sections: [
      "Information we collect",
      "How we use information",
      "How we share information",
      "Security",
      "Retention",
      "Your rights",
      "Cookies",
      "International transfers",
      "Children under 13",
      "Third-party links",
      "Changes to this policy",
      "Contact",
    ],
    subsections: ["Under the GDPR", "Under the CCPA", "How to use your rights"],
    says: [
      "we receive only the card’s brand, its last four digits and a fingerprint",
      "We do not sell personal data",
      "personal data to train general-purpose AI models without your consent",
      company.legalEmail,
    ],
  },
  {
    path: "/terms",
    sections: [
      "Definitions",
      "Services and access",
      "Acceptable use",
      "Data and privacy",
      "Intellectual property",
      "Fees and payment",
      "Term and termination",
      "Warranties",
      "Limitation of liability",
      "Indemnification",
      "Confidentiality",
      "Dispute resolution",
      "General provisions",
      "Contact",
    ],
    subsections: ["Account registration", "User management", "Service limits"],
    // An ellipsis stands for words between those that count.
    says: [
      "keep all rights to your Customer Data … process it in order to deliver the Services",
      "must review Reports",
      "usage data that has been anonymized",
      "feedback or suggestions, you grant us … license",
      `name and logo in our marketing … opt out … ${company.legalEmail}`,
      "U.S. dollars and are due within 30 days of invoice",
      "1.5% per month or the legal maximum, whichever is less",
      "not refunded, except as stated in these Terms or required by law",
      "does not cure the breach within 30 days",
      "may end your access to the Services with 30 days’ notice",
      "cancel your subscription through your account settings",
      "delete Customer Data after a reasonable period",
      "AMOUNTS THAT YOU PAID US IN THE 12 MONTHS BEFORE",
      "law of the State of Delaware … courts in Delaware",
      "claims under $100,000 … arbitration",
      `${TRIAL_DAYS}-day free trial … not charged immediately`,
      "amend these Terms with 30 days’ notice",
    ],
  },
])("$path has its date, its sections in order, also in its contents, and its required statements", async (row) => {
  const titles = row.sections.map((title, index) => `${index + 1}. ${title}`);
  const { words, wordsOfEach, each } = await open(row.path);
  expect(words()).toContain("Last updated August 14, 2025");
  expect(wordsOfEach("article h2")).toEqual(titles);
  expect(wordsOfEach("article h3")).toEqual(row.subsections);
  // A list that numbers its items would show each number twice in a text browser.
  expect(wordsOfEach("main nav ul > li")).toEqual(titles);
  expect(each("main nav a", "href")).toEqual(each("article h2", "id").map((id) => `#${id}`));
  for (const statement of row.says) {
    let rest = words();
    for (const part of statement.split(" … ")) {
      expect(rest).toContain(part);
      rest = rest.slice(rest.indexOf(part) + part.length);
    }
  }
});

test("the terms end with postal address, email address and website", async () => {
  const { words, links } = await open("/terms");
  const { url } = withTaxes.site;
  const { host } = new URL(url);
  const address = `${company.postalAddress.join("")}Email: ${company.legalEmail}Website: ${host}`;
  expect(words("article > address:last-child")).toBe(address);
  expect(links("address a")).toEqual([`${company.legalEmail}: mailto:${company.legalEmail}`, `${host}: ${url}`]);
});

test.each([
  { path: "/terms", says: "Fees do not include taxes. You pay the taxes that apply" },
  { path: "/pricing", says: "Prices do not include taxes; you pay any that apply." },
  { path: "/pricing", says: "First charge: your plan’s price plus any tax, then" },
  { path: PLAN, says: `First charge: ${PLANS.STANDARD.short} plus any tax, then` },
  { path: PLAN, says: `Then ${PLANS.STANDARD.short} a month plus any tax after ${TRIAL_DAYS} days` },
])("where Stripe Tax adds taxes, $path says: $says", async ({ path, says }) => {
  const aboutTaxes = (await open(path)).words().match(/[^.]*\btax[^.]*\.?/gi) ?? [];
  expect(aboutTaxes.join("")).toContain(says);
});

test.each([...PUBLIC_PATHS, PLAN])("%s names no tax if none is added", async (path) => {
  expect((await openUntaxed(path)).words()).not.toMatch(/\btax/i);
});
