import { company, titleOf } from "../company";
import { privacy, security, terms } from "../legal/texts";
import { pricing } from "../pricing/pricing-content";
import type { PublicPath } from "./public-paths";

export interface PublicPage {
  path: PublicPath;
  /** Shown in breadcrumbs and lists of pages. */
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

export const pricingPage = publicPage({ path: "/pricing", name: "Pricing", description: pricing.description });
export const privacyPage = publicPage({ ...privacy, name: privacy.title });
export const termsPage = publicPage({ ...terms, name: terms.title });
export const securityPage = publicPage({ ...security, name: security.title });

export const publicPages = [homePage, pricingPage, privacyPage, termsPage, securityPage];

function publicPage({ path, name, description, updated }: Omit<PublicPage, "title">): PublicPage {
  return { path, name, title: titleOf(name), description, updated };
}
