import type { MetaFunction } from "@remix-run/cloudflare";
import { company } from "../company";
import { LegalPage } from "../legal/legal-page";
import { privacy, privacyPolicy } from "../legal/privacy-content";
import { useSite } from "../ui/site";

export const meta: MetaFunction = () => [
  { title: `${privacy.title} | ${company.name}` },
  { name: "description", content: privacy.description },
];

export default function Privacy() {
  return <LegalPage document={privacyPolicy(useSite())} />;
}
