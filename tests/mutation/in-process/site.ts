/// <reference types="vite/types/importMeta.d.ts" />
import type { ServerBuild } from "@remix-run/cloudflare";
import * as z from "zod";
import { createSite } from "../../../app/edge/worker.server";
import * as entry from "../../../app/entry.server";
import * as root from "../../../app/root";
import { formPageCache } from "../../../app/signup/form/form-page-cache.server";
import { POSTED_FIELDS } from "../../../app/signup/form/form-schema";
import { signupServices } from "../../../app/signup/services.server";
import { handleForm } from "../../../app/signup/submit/submit-form.server";

type Route = NonNullable<ServerBuild["routes"][string]>;

const serverModule = z.custom<Route["module"]>((value) => typeof value === "object" && value !== null);
const files = import.meta.glob("../../../app/routes/*.{ts,tsx}", { eager: true });

/** The routes from their sources, as the Remix compiler would name them. */
const routes: ServerBuild["routes"] = {
  root: { id: "root", path: "", module: serverModule.parse({ ...root }) },
  ...Object.fromEntries(Object.entries(files).map(([file, module]) => routeOf(file, module))),
};

function routeOf(file: string, module: unknown): [string, Route] {
  const name = file.replace(/^.*\//, "").replace(/\.tsx?$/, "");
  const id = `routes/${name}`;
  const paths: Record<string, string> = { $: "*", subscription: "subscription/:id?" };
  const path = paths[name] ?? name.replaceAll(/\[|\]/g, "");
  const where = name === "_index" ? { index: true } : { path };
  return [id, { id, parentId: "root", ...where, module: serverModule.parse(module) }];
}

const build: ServerBuild = {
  entry: { module: { ...entry, streamTimeout: undefined } },
  routes,
  assets: {
    entry: { module: "/build/entry.js", imports: [] },
    routes: Object.fromEntries(
      Object.values(routes).flatMap((route) =>
        route
          ? [
              [
                route.id,
                {
                  id: route.id,
                  parentId: route.parentId,
                  path: route.path,
                  index: route.index,
                  module: `/build/${route.id}.js`,
                  hasAction: route.module.action !== undefined,
                  hasLoader: route.module.loader !== undefined,
                  hasClientAction: false,
                  hasClientLoader: false,
                  hasErrorBoundary: false,
                },
              ],
            ]
          : [],
      ),
    ),
    url: "/build/manifest.js",
    version: "in-process",
  },
  publicPath: "/build/",
  assetsBuildDirectory: "public/build",
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: true,
  },
  isSpaMode: false,
  mode: "production",
};

/** As functions/site.ts has it. */
export const makeSite = () => ({
  fetch: createSite({
    build,
    services: signupServices,
    form: {
      fields: POSTED_FIELDS,
      hasValidToken: ({ form_nonce: nonce = "" }, { nonces }) => nonces.isFresh(nonce),
      cache: formPageCache(),
      handle: handleForm,
    },
  }),
});
