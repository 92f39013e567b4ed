import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

// Wrangler runs this before it bundles the Worker (wrangler.toml, [build]); the working directory is this folder.
// index.ts imports the result, because one Worker alone of a local Miniflare can have static assets.
const OUT = "../../build/stripe-simulator-elements";

async function bundled(entry) {
  const options = { bundle: true, minify: true, format: "iife", target: "es2022", write: false };
  const { outputFiles } = await build({ entryPoints: [entry], ...options });
  return outputFiles[0].text;
}

const frame = await readFile("elements/frame.html", "utf8");
const script = (await bundled("elements/frame.ts")).replaceAll("</", "<\\/");
const files = {
  stripeJs: await bundled("elements/stripe.ts"),
  frame: frame.replace("</body>", () => `<script>${script}</script></body>`),
};
await mkdir(OUT, { recursive: true });
await writeFile(`${OUT}/files.json`, JSON.stringify(files));
