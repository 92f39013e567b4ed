import { company } from "../company";
import { privacy, terms } from "../legal/texts";
import { pricing } from "../pricing/pricing-content";

/** A page that is meant to be found. */
export interface PublicPage {
  path: string;
  /** Its short name, as in breadcrumbs and lists of pages. */
  name: string;
  title: string;
  description: string;
  /** ISO date of its last change, where the page itself says so. */
  updated?: string;
}

export const homePage: PublicPage = {
  path: "/",
  name: "Home",
  title: `${company.name}: ${company.tagline}`,
  description: company.description,
};

export const pricingPage = publicPage({ path: "/pricing", name: "Pricing", description: pricing.description });
export const privacyPage = publicPage({ ...privacy, name: privacy.title });
export const termsPage = publicPage({ ...terms, name: terms.title });

/** All of them, in the order in which lists show them. */
export const publicPages = [homePage, pricingPage, privacyPage, termsPage];

function publicPage({ path, name, description, updated }: Omit<PublicPage, "title">): PublicPage {
  return { path, name, title: `${name} | ${company.name}`, description, updated };
}
