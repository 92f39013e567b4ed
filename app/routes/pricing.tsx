import type { MetaFunction } from "@remix-run/cloudflare";
import { pageMeta } from "../discovery/page-meta";
import { pricingPage } from "../discovery/pages";
import stylesheet from "../pricing/pricing.css";
import { PricingPage } from "../pricing/pricing-page";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(pricingPage, matches);

export default PricingPage;
