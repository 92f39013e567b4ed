import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../pricing/pricing.css";
import { PricingPage } from "../pricing/pricing-page";
import { pageMeta } from "../seo/page-meta";
import { pricingPage } from "../seo/pages";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(pricingPage, matches);

export default PricingPage;
