import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { minify } from "@swc/core";
import type { BuildOptions, Plugin } from "esbuild";
import { remixCli } from "../build";
import { root } from "../wrangler/wrangler";
import { FILES_WITH_UNUSED_CODE, withoutUnusedCode } from "./unused-code";

/*
 * Runs Remix's compiler, `remix build`, which has no setting for what a browser loads beyond the routes. So its esbuild gets a
 * plugin here. Without it, the sign-up's scripts are 15% larger.
 */

const require = createRequire(remixCli);
const esbuildPath = require.resolve("esbuild");
const esbuild: typeof import("esbuild") = require(esbuildPath);
const cached = require.cache[esbuildPath];
if (!cached) throw new Error("Remix's esbuild is not loaded");
cached.exports = { ...esbuild, context: (options: BuildOptions) => esbuild.context(withPlugin(options)) };
require(remixCli);

/** Only the browser's build splits its code; the other is the server's. */
function withPlugin(options: BuildOptions): BuildOptions {
  if (options.splitting) return { ...options, plugins: [smallerScripts, ...(options.plugins ?? [])] };
  // Wrangler puts it into the Worker's own source map, so that an error's frames lead to the routes.
  return { ...options, sourcemap: "inline" };
}

/**
 * Browsers then compile each function while the script arrives, off the main thread. Otherwise the main thread compiles a thousand of
 * them when they are first called, most of them while React hydrates the form: https://v8.dev/blog/explicit-compile-hints
 */
const COMPILE_EARLY = "//# allFunctionsCalledOnLoad\n";

const smallerScripts: Plugin = {
  name: "smaller-scripts",
  setup(build) {
    // Pages without `hydrate` in their handle load no script. Without their code, the rest is split into fewer files.
    build.onLoad({ filter: /\?browser$/, namespace: "browser-route-module" }, async ({ path }) => {
      const source = await readFile(join(root, "app", path.replace(/\?browser$/, "")), "utf8");
      return path.startsWith("root.") || source.includes("hydrate: true") ? undefined : { contents: "export {}" };
    });

    build.onLoad({ filter: filterOf(FILES_WITH_UNUSED_CODE) }, async ({ path }) => ({
      contents: await withoutUnusedCode(path),
    }));

    // SWC finds more unreachable code than esbuild: 8% of the bytes. The files keep the names that esbuild has given them.
    build.onEnd(async ({ outputFiles = [] }) => {
      const encoder = new TextEncoder();
      const scripts = outputFiles.filter(({ path }) => path.endsWith(".js"));
      const options = { module: true, ecma: 2020, compress: { passes: 3 }, mangle: true } as const;
      for (const script of scripts)
        script.contents = encoder.encode(COMPILE_EARLY + (await minify(script.text, options)).code);
    });
  },
};

function filterOf(files: readonly string[]): RegExp {
  const ends = files.map((file) => file.replaceAll(".", "\\.").replaceAll("/", "[\\\\/]"));
  return new RegExp(`[\\\\/]node_modules[\\\\/](?:${ends.join("|")})$`);
}
