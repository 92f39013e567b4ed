import { publicPages } from "../pages";

/** https://www.sitemaps.org/protocol.html */
export function sitemapXml(siteUrl: string): string {
  const urls = publicPages.map(({ path, updated }) => {
    const lastmod = updated ? `<lastmod>${updated}</lastmod>` : "";
    return `  <url><loc>${siteUrl}${path}</loc>${lastmod}</url>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("\n")}
</urlset>
`;
}
