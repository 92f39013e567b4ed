import type { MetaFunction } from "@remix-run/cloudflare";
import { pageMeta } from "../discovery/page-meta";
import { privacyPage } from "../discovery/pages";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { privacy } from "../legal/texts";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(privacyPage, matches);

export default function Privacy() {
  return <LegalPage text={privacy} />;
}
