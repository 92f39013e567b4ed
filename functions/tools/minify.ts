import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";

/*
 * Part of `npm run build:site`: what the compiler has minified becomes another 4 % smaller, which is what keeps the
 * sign-up's scripts within their budget (tests/edge/budgets.test.ts).
 */

const folder = fileURLToPath(new URL("../../public/build", import.meta.url));

for (const entry of await readdir(folder, { recursive: true })) {
  if (!entry.endsWith(".js")) continue;
  const path = join(folder, entry);
  const { code } = await minify(await readFile(path, "utf8"), {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
  });
  if (code !== undefined) await writeFile(path, code);
}
