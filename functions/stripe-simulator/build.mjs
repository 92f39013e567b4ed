import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

// Wrangler runs this before it bundles the Worker (wrangler.toml, [build]); the working directory is this folder.
// index.ts imports the result, because one Worker alone of a local Miniflare can have static assets.
const OUT = "../../build/stripe-simulator-elements";

const options = { bundle: true, minify: true, format: "iife", target: "es2022", outdir: OUT, write: false };
const { outputFiles } = await build({ entryPoints: ["elements/frame.ts", "elements/stripe.ts"], ...options });
const [script, stripeJs] = outputFiles.map(({ text }) => text);
const html = await readFile("elements/frame.html", "utf8");
const frame = html.replace("</body>", () => `<script>${script.replaceAll("</", "<\\/")}</script></body>`);
await mkdir(OUT, { recursive: true });
await writeFile(`${OUT}/files.json`, JSON.stringify({ stripeJs, frame }));
