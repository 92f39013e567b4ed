import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { SiteOptions } from "../../support/workers/workers";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What the errors say that are thrown here: no visitor and no log may see it. */
export const WORDS_OF_THE_ERROR = "words-of-the-error";

/** Settings for `startSite` whose pricing page and sign-up throw in their loaders and actions. */
export async function throwingRoutes(): Promise<SiteOptions> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "functions/site.ts")],
    plugins: [throwingRemixBuild],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const bundle = "site/throwing-routes.js";
  await writeFile(join(root, "build", bundle), outputFiles[0]?.text ?? "");
  return { bundle };
}

/** Stands before what the Remix compiler made of app/. */
const throwingRemixBuild: Plugin = {
  name: "throwing-remix-build",
  setup(bundler) {
    const namespace = "throwing-remix-build";
    bundler.onResolve({ filter: /^@remix-run\/dev\/server-build$/ }, ({ path }) => ({ path, namespace }));
    bundler.onLoad({ filter: /./, namespace }, () => ({
      resolveDir: root,
      contents: `
        import * as build from "./build/index.js";
        export * from "./build/index.js";
        function fail() { throw new Error("${WORDS_OF_THE_ERROR}"); }
        function throwing(id) {
          const route = build.routes[id];
          if (!route) throw new Error("The route " + id + " is gone");
          return { [id]: { ...route, module: { ...route.module, loader: fail, action: route.module.action && fail } } };
        }
        export const routes = { ...build.routes, ...throwing("routes/pricing"), ...throwing("routes/subscription") };`,
    }));
  },
};
