import type { MetaFunction } from "@remix-run/cloudflare";
import { pageMeta } from "../discovery/page-meta";
import { pricingPage } from "../discovery/pages";
import { PricingPage } from "../pricing/pricing-page";

export const meta: MetaFunction = ({ matches }) => pageMeta(pricingPage, matches);

export default PricingPage;
