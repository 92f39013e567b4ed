import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { sitemapXml } from "../seo/files/sitemap";

export function loader({ context: { configuration } }: LoaderFunctionArgs) {
  return new Response(sitemapXml(configuration.SITE_URL), {
    headers: { "Content-Type": "application/xml; charset=utf-8" },
  });
}
