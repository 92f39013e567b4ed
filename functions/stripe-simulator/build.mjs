import { build } from "esbuild";

// Wrangler runs this before it bundles the Worker (wrangler.toml, [build]); the working directory is this folder.
await build({
  entryPoints: {
    "endive/stripe": "elements/stripe.ts",
    "elements/payment": "elements/frame/frame.ts",
    "elements/style": "elements/frame/frame.css",
    "elements/index": "elements/frame/frame.html",
    page: "pages/page-layout.css",
  },
  outdir: "../../build/stripe-simulator-assets",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  loader: { ".html": "copy" },
});
