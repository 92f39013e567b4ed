import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { company } from "../company";
import { securityTxt } from "../seo/files/security-txt";

export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  return new Response(securityTxt(configuration.SITE_URL, company.supportEmail, new Date()), {
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}
