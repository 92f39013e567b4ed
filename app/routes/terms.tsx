import type { MetaFunction } from "@remix-run/cloudflare";
import { pageMeta } from "../discovery/page-meta";
import { termsPage } from "../discovery/pages";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { terms } from "../legal/texts";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(termsPage, matches);

export default function Terms() {
  return <LegalPage text={terms} />;
}
