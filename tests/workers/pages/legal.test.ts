import { afterAll, expect, test } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { pageReader } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What the privacy policy and the terms must state, and where prices mention taxes. */

const withTaxes = await startVisitedSite({ vars: { LEGAL_EMAIL: "legal@brand.test", AUTOMATIC_TAX: "true" } });
const withoutTaxes = await startVisitedSite();
afterAll(() => Promise.all([withTaxes.dispose(), withoutTaxes.dispose()]));
const open = pageReader(withTaxes.visitor);
const PLAN = "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430";

test.each([
  [
    "/privacy",
    "Information we collect, How we use information, How we share information, Security, Retention, Your rights, Cookies, International transfers, Children under 13, Third-party links, Changes to this policy, Contact",
    ["Under the GDPR", "Under the CCPA", "How to use your rights"],
  ],
  [
    "/terms",
    "Definitions, Services and access, Acceptable use, Data and privacy, Intellectual property, Fees and payment, Term and termination, Warranties, Limitation of liability, Indemnification, Confidentiality, Dispute resolution, General provisions, Contact",
    ["Account registration", "User management", "Service limits"],
  ],
])("%s has all sections in order, as of August 14, 2025", async (path, sections, subsections) => {
  const { words, wordsOfEach } = await open(path);
  expect(words()).toContain("Last updated August 14, 2025");
  expect(wordsOfEach("article h2")).toEqual(sections.split(", ").map((title, index) => `${index + 1}. ${title}`));
  expect(wordsOfEach("article h3")).toEqual(subsections);
});

test.each<[path: string, fact: RegExp]>([
  ["/privacy", /never use (your )?personal data to train general-purpose AI models without your consent/],
  ["/privacy", /We do not sell personal data.*legal@brand\.test/],
  ["/terms", /keep all rights to your Customer Data/],
  ["/terms", /process it in order to deliver the Services/],
  ["/terms", /must review Reports/],
  ["/terms", /usage data that has been anonymized/],
  ["/terms", /feedback or suggestions, you grant us .* license/],
  ["/terms", /name and logo in our marketing.*opt out.*legal@brand\.test/],
  ["/terms", /U\.S\. dollars and are due within 30 days of invoice/],
  ["/terms", /1\.5% per month or the legal maximum/],
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
  [PLAN, /plus any tax/],
])("%s says, where Stripe Tax adds taxes: %s", async (path, fact) => {
  expect((await open(path)).words()).toMatch(fact);
});

test.each(["/", "/pricing", "/privacy", "/terms", "/security", PLAN])(
  "%s mentions no tax if none is added",
  async (path) => {
    expect((await pageReader(withoutTaxes.visitor)(path)).words()).not.toMatch(/\btax/i);
  },
);

test("the terms end with postal address, email address and website", async () => {
  const { document, words } = await open("/terms");
  const { url } = withTaxes.site;
  expect(document.querySelector("article")?.lastElementChild?.tagName).toBe("ADDRESS");
  for (const line of companyFacts.postalAddress) expect(words("address")).toContain(line);
  const links = [...document.querySelectorAll("address a")].map((link) => link.getAttribute("href"));
  expect(links).toEqual(["mailto:legal@brand.test", url]);
  expect(words("address")).toContain(`Website: ${new URL(url).host}`);
});
