import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SENDER } from "../../support/api-in-process/sender";

const PLANS = "../../../app/contract/plans";
const packageIds = { mini: "a", lite: "b", standard: "c" };

beforeAll(() => {
  vi.resetModules();
  vi.doMock(PLANS, async (actual) => {
    const plans = await actual<typeof import("../../../app/contract/plans")>();
    return { ...plans, TRIAL_DAYS: 14 };
  });
});
afterAll(() => {
  vi.doUnmock(PLANS);
  vi.resetModules();
});

test("a trial of 14 days ends after 14 days, and every offer, the form and the email say so", async () => {
  const { hero } = await import("../../../app/home/home-content");
  const { pricing } = await import("../../../app/pricing/pricing-content");
  const { faq } = await import("../../../app/pricing/faq");
  const { detailedPlans } = await import("../../../app/pricing/plans/plan-details");
  const { describeOffer } = await import("../../../app/pricing/plans/plan-list");
  const { PlanTerms, trialOffer } = await import("../../../app/signup/form/plan-summary");
  const { trialEndOf } = await import("../../../app/contract/trial");
  const { trialStartedEmail } = await import("../../../functions/subscription-api/outbox/emails/trial-emails");
  const [mini] = detailedPlans({ packageIds, salesEmail: "sales@site.example" });
  if (!mini) throw new Error("There are no plans.");

  expect(trialEndOf("2026-11-22T14:30:00.000Z")).toBe("2026-12-06T14:30:00.000Z");
  expect(describeOffer(mini)).toBe("MINI: $100 a month, 14-day free trial");
  expect(trialOffer(mini, false)).toBe("$0 today. Then $100/month after 14 days unless you cancel.");
  expect(mini.smallPriceText).toContain("No charge for 14 days");
  const email = trialStartedEmail(
    {
      full_name: "Ada",
      company_name: "Engines",
      email: "ada@example.com",
      created_at: "2026-11-22T14:30:00.000Z",
    },
    { end: new Date("2026-12-06T14:30:00.000Z"), trialEndOutcome: { next: "no-plan" }, card: null, plan: "MINI" },
    SENDER,
    { verifyEmail: "https://api.example/verify", notMe: "https://api.example/not-me" },
  );
  expect(email.text).toContain("Free trial: 14 days");
  const terms = renderToStaticMarkup(createElement(PlanTerms, { plan: mini }));
  for (const words of [
    hero.terms,
    pricing.description,
    pricing.promises.join(),
    faq({ automaticTax: false })[0]?.answer,
    terms,
  ])
    expect(words).toMatch(/14[ -]days?/);
});

test("no page, email or legal text hard-codes the length of the trial", () => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const own = ["app", "functions"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|mdx)$/.test(name))
      .filter((name) =>
        /\b(?:5|five)[- ]days?\b/i.test(withoutComments(readFileSync(`${root}${folder}/${name}`, "utf8"))),
      ),
  );
  expect(own).toEqual([]);
});

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}
