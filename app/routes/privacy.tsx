import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { privacy } from "../legal/texts";
import { privacyPage } from "../seo/pages";
import { pageMeta } from "../seo/public-page-meta";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(privacyPage, matches);

export default function Privacy() {
  return <LegalPage text={privacy} />;
}
