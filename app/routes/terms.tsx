import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../legal/legal.css";
import { LegalPage } from "../legal/legal-page";
import { terms } from "../legal/texts";
import { termsPage } from "../seo/pages";
import { pageMeta } from "../seo/public-page-meta";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(termsPage, matches);

export default function Terms() {
  return <LegalPage text={terms} />;
}
