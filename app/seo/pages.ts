import { company, titleOf } from "../company";
import { shortAmount } from "../contract/money";
import { ENTERPRISE_PLAN, PAID_PLANS } from "../contract/plans";
import { TRIAL_DAYS } from "../contract/trial";
import { privacy, security, terms } from "../legal/texts";
import type { PublicPath } from "./public-paths";

export interface PublicPage {
  path: PublicPath;
  name: string;
  title: string;
  description: string;
  /** ISO date of the last change, if the page shows it. */
  updated?: string;
}

export const homePage: PublicPage = {
  path: "/",
  name: "Home",
  title: titleOf(company.tagline),
  description: company.description,
};

const prices = PAID_PLANS.map(({ title, priceCents }) => `${title} ${shortAmount(priceCents)}`).join(", ");

export const pricingPage = publicPage({
  path: "/pricing",
  name: "Pricing",
  description: `What ${company.name} costs a month: ${prices}, each with a ${TRIAL_DAYS}-day free trial; ${ENTERPRISE_PLAN.title} on request.`,
});
export const privacyPage = publicPage({
  ...privacy,
  name: privacy.title,
  description: "What personal data we collect, why, who we share it with, and your rights under the GDPR and the CCPA.",
});
export const termsPage = publicPage({
  ...terms,
  name: terms.title,
  description:
    "The terms of service of our subscription platform for visibility in AI search: plans, fees, data, liability and law.",
});
export const securityPage = publicPage({
  ...security,
  name: security.title,
  description:
    "How we protect cards, passwords, sessions and logs, who processes your data, and how to report a vulnerability.",
});

export const publicPages = [homePage, pricingPage, privacyPage, termsPage, securityPage];

function publicPage({ path, name, description, updated }: Omit<PublicPage, "title">): PublicPage {
  return { path, name, title: titleOf(name), description, updated };
}
