import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { robotsTxt } from "../seo/files/robots";

export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  return new Response(robotsTxt(configuration.SITE_URL), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
