import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { privacy } from "../legal/texts";
import { pageMeta } from "../seo/page-meta";
import { privacyPage } from "../seo/pages";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(privacyPage, matches);

export default function Privacy() {
  return <LegalPage text={privacy} />;
}
