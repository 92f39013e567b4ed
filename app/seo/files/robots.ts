/** RFC 9309. All crawlers may fetch everything, also the sign-up, so that they see its `noindex`. */
export function robotsTxt(siteUrl: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${siteUrl}/sitemap.xml\n`;
}
