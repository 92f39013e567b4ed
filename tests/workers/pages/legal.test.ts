import { afterAll, expect, test } from "vitest";
import { company } from "../../../app/company";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What the privacy policy and the terms must state, and where prices mention taxes. */

const withTaxes = await startVisitedSite({ vars: { AUTOMATIC_TAX: "true" } });
const withoutTaxes = await startVisitedSite();
afterAll(() => Promise.all([withTaxes.dispose(), withoutTaxes.dispose()]));
const [open, openUntaxed] = [pageReader(withTaxes.visitor), pageReader(withoutTaxes.visitor)];
const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

test.each([
  [
    "/privacy",
    "Information we collect, How we use information, How we share information, Security, Retention, Your rights, Cookies, International transfers, Children under 13, Third-party links, Changes to this policy, Contact",
    "Under the GDPR, Under the CCPA, How to use your rights",
  ],
  [
    "/terms",
    "Definitions, Services and access, Acceptable use, Data and privacy, Intellectual property, Fees and payment, Term and termination, Warranties, Limitation of liability, Indemnification, Confidentiality, Dispute resolution, General provisions, Contact",
    "Account registration, User management, Service limits",
  ],
])("%s has all sections in order, in its contents too, as of August 14, 2025", async (path, sections, subsections) => {
  const { words, wordsOfEach, each } = await open(path);
  expect(words()).toContain("Last updated August 14, 2025");
  const titles = sections.split(", ").map((title, index) => `${index + 1}. ${title}`);
  expect([wordsOfEach("article h2"), wordsOfEach("main nav li")]).toEqual([titles, titles]);
  expect(each("main nav a", "href")).toEqual(each("article h2", "id").map((id) => `#${id}`));
  expect(wordsOfEach("article h3")).toEqual(subsections.split(", "));
});

test.each<[path: string, fact: RegExp]>([
  ["/privacy", /never use (your )?personal data to train general-purpose AI models without your consent/],
  ["/privacy", new RegExp(`We do not sell personal data.*${company.legalEmail}`)],
  ["/terms", /keep all rights to your Customer Data.*process it in order to deliver the Services/],
  ["/terms", /must review Reports/],
  ["/terms", /usage data that has been anonymized/],
  ["/terms", /feedback or suggestions, you grant us .* license/],
  ["/terms", new RegExp(`name and logo in our marketing.*opt out.*${company.legalEmail}`)],
  ["/terms", /U\.S\. dollars and are due within 30 days of invoice/],
  ["/terms", /1\.5% per month or the legal maximum, whichever is less/],
  ["/terms", /not refunded, except as stated in these Terms or required by law/],
  ["/terms", /does not cure the breach within 30 days/],
  ["/terms", /may end your access to the Services with 30 days’ notice/],
  ["/terms", /cancel your subscription through your account settings/],
  ["/terms", /delete Customer Data after a reasonable period/],
  ["/terms", /AMOUNTS THAT YOU PAID US IN THE 12 MONTHS BEFORE/],
  ["/terms", /law of the State of Delaware.*courts in Delaware/],
  ["/terms", /claims under \$100,000 .*arbitration/],
  ["/terms", /5-day free trial.*not charged immediately/],
  ["/terms", /amend these Terms with 30 days’ notice/],
  ["/terms", /Fees do not include taxes\. You pay the taxes that apply/],
  ["/pricing", /Prices do not include taxes; you pay any that apply\./],
  ["/pricing", /First charge: your plan’s price plus any tax, then/],
  [PLAN, /First charge: \$500 plus any tax, then/],
  [PLAN, /Then \$500\/month plus any tax after 5 days/],
])("%s says, where Stripe Tax adds taxes: %s", async (path, fact) => {
  expect((await open(path)).words()).toMatch(fact);
});

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security", PLAN];
test.each(PAGES)("%s names no tax if none is added", async (path) => {
  expect((await openUntaxed(path)).words()).not.toMatch(/\btax/i);
});

test("the terms end with postal address, email address and website", async () => {
  const { words, links } = await open("/terms");
  const { url } = withTaxes.site;
  const { host } = new URL(url);
  const address = `${company.postalAddress.join("")}Email: ${company.legalEmail}`;
  expect(words("article > address:last-child")).toBe(`${address}Website: ${host}`);
  expect(links("address a").flat()).toEqual([company.legalEmail, `mailto:${company.legalEmail}`, host, url]);
});
