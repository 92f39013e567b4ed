import type { MetaFunction } from "@remix-run/cloudflare";
import { company } from "../company";
import { LegalPage } from "../legal/legal-page";
import { terms, termsOfService } from "../legal/terms-content";
import { useSite } from "../ui/site";

export const meta: MetaFunction = () => [
  { title: `${terms.title} | ${company.name}` },
  { name: "description", content: terms.description },
];

export default function Terms() {
  return <LegalPage document={termsOfService(useSite())} />;
}
