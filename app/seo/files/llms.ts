import { company } from "../../company";
import { features, suite } from "../../home/home-content";
import { describeOffer, PLANS } from "../../pricing/plans/plan-list";
import { describePrompts, platformsOf } from "../../pricing/plans/platform-rows";
import type { Site } from "../../ui/use-site";
import { markdownPath } from "../markdown-path";
import { publicPages } from "../pages";

/** https://llmstxt.org */
export function llmsTxt(site: Site): string {
  const list = (items: string[]) => items.map((item) => `- ${item}`).join("\n");
  return `# ${company.name}

> ${company.description}

## Features

${list(features.map(({ title, text }) => `${title}: ${text}`))}

## Product areas

${list(suite.products.map(({ title, text }) => `${title}: ${text}`))}

## Plans

${list(
  PLANS.map((plan) => {
    const signUp = plan.shownPriceCents === null ? "" : ` [Sign up](${site.siteUrl}${plan.ctaLink})`;
    const prompts = plan.shownPriceCents === null ? "" : ` ${describePrompts(plan.key)}.`;
    return `${describeOffer(plan)}. Platforms: ${platformsOf(plan.key).join(", ")}.${prompts}${signUp}`;
  }),
)}

## Pages

${list(
  publicPages.map(({ path, name, description }) => `[${name}](${site.siteUrl}${markdownPath(path)}): ${description}`),
)}

## Contact

${list([`Sales: <${company.salesEmail}>`, `Support: <${company.supportEmail}>`])}
`;
}
