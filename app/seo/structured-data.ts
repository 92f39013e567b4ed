import type {
  BreadcrumbList,
  Graph,
  Offer,
  Organization,
  SoftwareApplication,
  Thing,
  WebPage,
  WebSite,
} from "schema-dts";
import { company } from "../company";
import { inDollars } from "../contract/money";
import { features } from "../home/home-content";
import { PLANS, type Plan } from "../pricing/plans/plan-list";
import { describePrompts } from "../pricing/plans/platform-rows";
import type { Site } from "../ui/use-site";
import { homePage, type PublicPage, pricingPage } from "./pages";

/** JSON-LD: https://developers.google.com/search/docs/appearance/structured-data */
export function structuredData(page: PublicPage, site: Site): Graph {
  return { "@context": "https://schema.org", "@graph": [...shared(page, site), ...ownTo(page, site)] };
}

function shared(page: PublicPage, site: Site): Thing[] {
  return [organization(site), webSite(site), webPage(page, site)];
}

function ownTo(page: PublicPage, site: Site): Thing[] {
  if (page === homePage) return [softwareApplication(site)];
  if (page === pricingPage) return [softwareApplication(site), breadcrumbs(page, site)];
  return [breadcrumbs(page, site)];
}

function organization({ siteUrl }: Site): Organization {
  return {
    "@type": "Organization",
    "@id": `${siteUrl}/#organization`,
    name: company.name,
    legalName: company.legalName,
    url: `${siteUrl}/`,
    logo: `${siteUrl}/icon-512.png`,
    sameAs: company.profiles,
    contactPoint: [
      { "@type": "ContactPoint", contactType: "sales", email: company.salesEmail },
      { "@type": "ContactPoint", contactType: "customer support", email: company.supportEmail },
    ],
  };
}

function webSite({ siteUrl }: Site): WebSite {
  return {
    "@type": "WebSite",
    "@id": `${siteUrl}/#website`,
    name: company.name,
    description: company.description,
    url: `${siteUrl}/`,
    inLanguage: "en-US",
    publisher: { "@id": `${siteUrl}/#organization` },
  };
}

function webPage({ path, title, description, updated }: PublicPage, { siteUrl }: Site): WebPage {
  return {
    "@type": "WebPage",
    "@id": `${siteUrl}${path}#page`,
    url: `${siteUrl}${path}`,
    name: title,
    description,
    ...(updated && { dateModified: updated }),
    isPartOf: { "@id": `${siteUrl}/#website` },
  };
}

function softwareApplication(site: Site): SoftwareApplication {
  return {
    "@type": "SoftwareApplication",
    "@id": `${site.siteUrl}/#software`,
    name: company.name,
    description: company.description,
    url: `${site.siteUrl}/`,
    applicationCategory: "BusinessApplication",
    operatingSystem: "Web",
    featureList: features.map(({ title }) => title),
    provider: { "@id": `${site.siteUrl}/#organization` },
    offers: PLANS.flatMap((plan) => offersOf(plan, `${site.siteUrl}${pricingPage.path}`)),
  };
}

function offersOf(plan: Plan, pricingUrl: string): Offer[] {
  const { key, title, shownPriceCents, trialBadge } = plan;
  if (shownPriceCents === null) return [];
  const price = inDollars(shownPriceCents);
  return [
    {
      "@type": "Offer",
      name: title,
      description: [trialBadge, describePrompts(key)].filter(Boolean).join(". "),
      url: `${pricingUrl}#plan-${key}`,
      price,
      priceCurrency: "USD",
      priceSpecification: {
        "@type": "UnitPriceSpecification",
        price,
        priceCurrency: "USD",
        billingDuration: 1,
        unitCode: "MON", // UN/CEFACT: month
      },
    },
  ];
}

function breadcrumbs(page: PublicPage, { siteUrl }: Site): BreadcrumbList {
  return {
    "@type": "BreadcrumbList",
    itemListElement: [homePage, page].map(({ path, name }, index) => ({
      "@type": "ListItem",
      position: index + 1,
      name,
      item: `${siteUrl}${path}`,
    })),
  };
}
