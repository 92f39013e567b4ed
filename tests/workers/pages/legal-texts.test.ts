import { afterAll, describe, expect, test } from "vitest";
import { companyFacts } from "../../../app/company-facts";
import { openPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What the privacy policy and the terms must state. */

const { site, visitor, dispose } = await startVisitedSite({
  vars: { LEGAL_EMAIL: "legal@brand.test", AUTOMATIC_TAX: "true" },
});
afterAll(dispose);
const terms = await openPage(visitor, "/terms");

test("the privacy policy covers every topic, in order, as of August 14, 2025 [L1] [L2]", async () => {
  const { words, wordsOfEach } = await openPage(visitor, "/privacy");
  expect(words("h1")).toBe("Privacy Policy");
  expect(words()).toContain("Last updated August 14, 2025");
  expect(wordsOfEach("article h2")).toEqual([
    "1. Information we collect",
    "2. How we use information",
    "3. How we share information",
    "4. Security",
    "5. Retention",
    "6. Your rights",
    "7. Cookies",
    "8. International transfers",
    "9. Children under 13",
    "10. Third-party links",
    "11. Changes to this policy",
    "12. Contact",
  ]);
  expect(wordsOfEach("article h3")).toEqual(["Under the GDPR", "Under the CCPA", "How to use your rights"]);
  expect(words()).toMatch(/never use (your )?personal data to train general-purpose AI models without your consent/);
  expect(words()).toContain("We do not sell personal data");
  expect(words("address")).toContain("legal@brand.test");
});

test.each([
  ["/terms", "Fees do not include taxes. You pay the taxes that apply"],
  ["/pricing", "Prices do not include taxes; you pay any that apply."],
  [
    "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
    "Then $500/month plus any tax after 5 days unless you cancel.",
  ],
])("%s mentions taxes if Stripe Tax adds them [P16]", async (path, sentence) => {
  expect((await openPage(visitor, path)).words()).toContain(sentence);
});

describe("the terms", () => {
  test("have all sections in order, as of August 14, 2025 [L3] [L4]", async () => {
    expect(terms.words()).toContain("Last updated August 14, 2025");
    expect(terms.wordsOfEach("article h2")).toEqual([
      "1. Definitions",
      "2. Services and access",
      "3. Acceptable use",
      "4. Data and privacy",
      "5. Intellectual property",
      "6. Fees and payment",
      "7. Term and termination",
      "8. Warranties",
      "9. Limitation of liability",
      "10. Indemnification",
      "11. Confidentiality",
      "12. Dispute resolution",
      "13. General provisions",
      "14. Contact",
    ]);
    expect(terms.wordsOfEach("article h3")).toEqual(["Account registration", "User management", "Service limits"]);
  });

  test.each([
    ["the rights that the customer keeps", "L4", /keep all rights to your Customer Data/],
    ["processing data to deliver the services", "L4", /process it in order to deliver the Services/],
    ["reports that the customer must review", "L4", /must review Reports/],
    ["anonymized usage data", "L4", /usage data that has been anonymized/],
    ["the license for feedback", "L4", /feedback or suggestions, you grant us .* license/],
    [
      "our use of the customer's logo, and the opt-out",
      "L4",
      /name and logo in our marketing.*opt out.*legal@brand\.test/,
    ],
    [
      "payment in U.S. dollars within 30 days of the invoice",
      "L5",
      /U\.S\. dollars and are due within 30 days of invoice/,
    ],
    ["the late charge", "L5", /1\.5% per month or the legal maximum/],
    ["refunds", "L5", /not refunded, except as stated in these Terms or required by law/],
    ["30 days to cure a breach", "L6", /does not cure the breach within 30 days/],
    ["30 days' notice before access ends", "L6", /may end your access to the Services with 30 days’ notice/],
    ["canceling a subscription", "L6", /cancel your subscription through your account settings/],
    ["deleting the customer's data", "L6", /delete Customer Data after a reasonable period/],
    ["the cap on liability", "L7", /AMOUNTS THAT YOU PAID US IN THE 12 MONTHS BEFORE/],
    ["the law and courts of Delaware", "L7", /law of the State of Delaware.*courts in Delaware/],
    ["arbitration", "L7", /claims under \$100,000 .*arbitration/],
    ["a trial that is not charged immediately", "L5", /5-day free trial.*not charged immediately/],
    ["amending the terms with 30 days' notice", "L8", /amend these Terms with 30 days’ notice/],
  ])("have a sentence about %s [%s]", async (_name, _row, fact) => {
    expect(terms.words("article")).toMatch(fact);
  });

  test("end with postal address, email address and website [L8]", () => {
    const { document, words } = terms;
    expect(document.querySelector("article")?.lastElementChild?.tagName).toBe("ADDRESS");
    for (const line of companyFacts.postalAddress) expect(words("address")).toContain(line);
    expect([...document.querySelectorAll("address a")].map((link) => link.getAttribute("href"))).toEqual([
      "mailto:legal@brand.test",
      site.url,
    ]);
    expect(words("address")).toContain(`Website: ${new URL(site.url).host}`);
  });
});
