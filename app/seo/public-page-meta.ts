import type { MetaDescriptor } from "@remix-run/cloudflare";
import { company } from "../company";
import { type RouteMatches, siteOf } from "../ui/use-site";
import { markdownPath } from "./markdown-path";
import type { PublicPage } from "./pages";
import { describeShareImage, SHARE_IMAGE_SIZE, shareImages } from "./share-images";
import { structuredData } from "./structured-data";

/** Meta tags of a page for search engines and social networks (https://ogp.me). */
export function pageMeta(page: PublicPage, matches: RouteMatches): MetaDescriptor[] {
  const site = siteOf(matches);
  if (!site) return [{ title: page.title }];
  const { title, description } = page;
  const url = `${site.siteUrl}${page.path}`;
  const image = shareImages[page.path];
  return [
    { title },
    { name: "description", content: description },
    { name: "robots", content: "index, follow, max-snippet:-1, max-image-preview:large" },
    { tagName: "link", rel: "canonical", href: url },
    { tagName: "link", rel: "alternate", type: "text/markdown", href: markdownPath(page.path) },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: company.name },
    { property: "og:locale", content: "en_US" },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    { property: "og:image", content: `${site.siteUrl}${image.file}` },
    { property: "og:image:type", content: "image/png" },
    { property: "og:image:width", content: String(SHARE_IMAGE_SIZE.width) },
    { property: "og:image:height", content: String(SHARE_IMAGE_SIZE.height) },
    { property: "og:image:alt", content: describeShareImage(image) },
    { name: "twitter:card", content: "summary_large_image" },
    { "script:ld+json": structuredData(page, site) },
  ];
}
