import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../pricing/pricing.css";
import { PricingPage } from "../pricing/pricing-page";
import { pricingPage } from "../seo/pages";
import { pageMeta } from "../seo/public-page-meta";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(pricingPage, matches);

export default PricingPage;
