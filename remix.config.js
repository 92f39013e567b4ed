import extractToc from "@stefanprobst/rehype-extract-toc";
import exportToc from "@stefanprobst/rehype-extract-toc/mdx";
import slug from "rehype-slug";

/** @type {import("@remix-run/dev").AppConfig} */
export default {
  appDirectory: "app",
  assetsBuildDirectory: "public/build",
  publicPath: "/build/",
  serverBuildPath: "build/index.js",
  serverModuleFormat: "esm",
  serverPlatform: "neutral",
  // Wrangler bundles the Worker, packages included, so that each package is in it once.
  serverDependenciesToBundle: [],
  serverMinify: false,
  postcss: true,
  tailwind: false,
  // The legal texts: their headings get anchors, and the list of them is exported as `tableOfContents`.
  mdx: { rehypePlugins: [slug, extractToc, exportToc] },
  ignoredRouteFiles: ["**/.*", "**/subscription.tsx"],
  // By hand, for the file's name: with `$id` in it browsers load the route twice, once under the name's escaped form.
  routes: (define) => define((route) => route("subscription/:id?", "routes/subscription.tsx")),
  future: {
    v3_fetcherPersist: true,
    v3_lazyRouteDiscovery: false,
    v3_relativeSplatPath: true,
    v3_singleFetch: true,
    v3_throwAbortReason: true,
  },
};
