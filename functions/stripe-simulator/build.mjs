import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

// Wrangler runs this before it bundles the Worker (wrangler.toml, [build]). index.ts imports the result, because only one
// Worker of a local Miniflare can have static assets.
const folder = import.meta.dirname;
const out = join(folder, "../../build/stripe-simulator-elements");

const options = { bundle: true, minify: true, format: "iife", target: "es2022", outdir: out, write: false };
const entryPoints = ["elements/frame.ts", "elements/stripe.ts"];
const { outputFiles } = await build({ absWorkingDir: folder, entryPoints, ...options });
const [script, stripeJs] = outputFiles.map(({ text }) => text);
const html = await readFile(join(folder, "elements/frame.html"), "utf8");
const frame = html.replace("</body>", () => `<script>${script.replaceAll("</", "<\\/")}</script></body>`);
await mkdir(out, { recursive: true });
await writeFile(join(out, "files.json"), JSON.stringify({ stripeJs, frame }));
