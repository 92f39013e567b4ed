import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { security } from "../legal/texts";
import { securityPage } from "../seo/pages";
import { pageMeta } from "../seo/public-page-meta";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(securityPage, matches);

export default function Security() {
  return <LegalPage text={security} />;
}
