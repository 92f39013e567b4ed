import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Expression, minify, parse } from "@swc/core";
import type { BuildOptions, Plugin } from "esbuild";
import { remixCli } from "../build";
import { root } from "../wrangler/wrangler";

// `remix build` has no setting for what a browser loads beyond the routes, so its esbuild gets a plugin here.

const require = createRequire(remixCli);
const esbuildPath = require.resolve("esbuild");
const esbuild: typeof import("esbuild") = require(esbuildPath);
const cached = require.cache[esbuildPath];
if (!cached) throw new Error("Remix's esbuild is not loaded");
cached.exports = { ...esbuild, context: (options: BuildOptions) => esbuild.context(withPlugin(options)) };
require(remixCli);

/** Only the browser's build splits its code; the other is the server's. */
function withPlugin(options: BuildOptions): BuildOptions {
  if (options.splitting) return { ...options, target: "es2020", plugins: [smallerScripts, ...(options.plugins ?? [])] };
  // Wrangler puts it into the Worker's own source map, so that an error's frames lead to the routes.
  return { ...options, sourcemap: "inline", plugins: [withoutCardForm, ...(options.plugins ?? [])] };
}

// Browsers then compile functions off the main thread as the script arrives, not on it while React hydrates the form:
// https://v8.dev/blog/explicit-compile-hints
const COMPILE_EARLY = "//# allFunctionsCalledOnLoad\n";

const NO_PAGES = `
export const RemixErrorBoundary = ({ children }) => children;
export const RemixRootDefaultErrorBoundary = () => null;
export const RemixRootDefaultHydrateFallback = () => null;
`;

const smallerScripts: Plugin = {
  name: "smaller-scripts",
  setup(build) {
    // Pages without scripts need no module. Without their code, the rest is split into fewer files.
    build.onLoad({ filter: /\?browser$/, namespace: "browser-route-module" }, async ({ path }) => {
      const source = await readFile(join(root, "app", path.replace(/\?browser$/, "")), "utf8");
      return path.startsWith("root.") || (await exportsHydrate(source)) ? undefined : { contents: "export {}" };
    });

    // Remix's own error and loading pages. Our page stays instead: app/ui/document/served-page.ts.
    build.onLoad({ filter: /@remix-run.react.dist.esm.(errorBoundaries|fallback)\.js$/ }, () => ({
      contents: NO_PAGES,
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

/** Only browsers load it: 7 KB of the Worker's gzip. */
const withoutCardForm: Plugin = {
  name: "without-card-form",
  setup(build) {
    build.onLoad({ filter: /signup.card.stripe-elements\.tsx$/ }, () => ({ contents: "export default () => null" }));
  },
};

/** True if a route exports a handle with `hydrate: true` (app/ui/document/hydration.ts). */
async function exportsHydrate(source: string): Promise<boolean> {
  const { body } = await parse(source, { syntax: "typescript", tsx: true });
  return body.some(
    (item) =>
      item.type === "ExportDeclaration" &&
      item.declaration.type === "VariableDeclaration" &&
      item.declaration.declarations.some(
        ({ id, init }) => id.type === "Identifier" && id.value === "handle" && init && isHydrating(init),
      ),
  );
}

function isHydrating(handle: Expression): boolean {
  return (
    handle.type === "ObjectExpression" &&
    handle.properties.some(
      (property) =>
        property.type === "KeyValueProperty" &&
        property.key.type === "Identifier" &&
        property.key.value === "hydrate" &&
        property.value.type === "BooleanLiteral" &&
        property.value.value,
    )
  );
}
