import type { MetaFunction } from "@remix-run/cloudflare";
import { company } from "../company";
import { pricing } from "../pricing/pricing-content";
import { PricingPage } from "../pricing/pricing-page";

export const meta: MetaFunction = () => [
  { title: `Pricing | ${company.name}` },
  { name: "description", content: pricing.description },
];

export default PricingPage;
