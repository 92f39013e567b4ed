import { company } from "../../company";
import { companyFacts } from "../../company-facts";
import { features, suite } from "../../home/home-content";
import { describeOffer, plans } from "../../pricing/plans/plan-list";
import { onRequest, platformsOf } from "../../pricing/plans/platforms";
import type { Site } from "../../ui/use-site";
import { markdownPath } from "../markdown-path";
import { publicPages } from "../pages";

/** https://llmstxt.org */
export function llmsTxt(site: Site): string {
  const list = (items: string[]) => items.map((item) => `- ${item}`).join("\n");
  return `# ${company.name}

> ${companyFacts.description}

## Features

${list(features.map(({ title, text }) => `${title}: ${text}`))}

## Product areas

${list(suite.products.map(({ title, text }) => `${title}: ${text}`))}

## Plans

${list(
  plans(site).map((plan) => {
    const signUp = plan.price === null ? "" : ` [Sign up](${site.siteUrl}${plan.ctaLink})`;
    return `${describeOffer(plan)}. Platforms: ${platformsOf(plan.key).join(", ")}.${signUp}`;
  }),
)}

${onRequest}

## Pages

${list(
  publicPages.map(({ path, name, description }) => `[${name}](${site.siteUrl}${markdownPath(path)}): ${description}`),
)}

## Contact

${list([`Sales: <${site.salesEmail}>`, `Support: <${site.supportEmail}>`])}
`;
}
