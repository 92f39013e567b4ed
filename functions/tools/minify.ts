import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";

/*
 * Part of `npm run build:site`: what the compiler has minified becomes another 4 % smaller, which is what keeps the
 * sign-up's scripts within their budget (tests/edge/budgets.test.ts).
 */

/**
 * Browsers that know this first line compile the whole file while it comes in, on another thread, instead of each
 * function where it is first called, on the thread that answers the visitor (https://v8.dev/blog/explicit-compile-hints).
 */
const COMPILE_HINT = "//# allFunctionsCalledOnLoad";

const folder = fileURLToPath(new URL("../../public/build", import.meta.url));

for (const entry of await readdir(folder, { recursive: true })) {
  if (!entry.endsWith(".js")) continue;
  const path = join(folder, entry);
  const { code } = await minify(await readFile(path, "utf8"), {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
    format: { preamble: COMPILE_HINT },
  });
  if (code !== undefined) await writeFile(path, code);
}
