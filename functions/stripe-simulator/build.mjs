import { build } from "esbuild";

// Wrangler runs this before it bundles the Worker (wrangler.toml, [build]); the working directory is this folder.
await build({
  entryPoints: {
    "endive/stripe": "browser/stripe.ts",
    "elements/payment": "browser/frame/frame.ts",
    "elements/style": "browser/frame/frame.css",
    "elements/index": "browser/frame/frame.html",
    page: "../local-services/page.css",
  },
  outdir: "../../build/stripe-simulator-assets",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  loader: { ".html": "copy" },
});
