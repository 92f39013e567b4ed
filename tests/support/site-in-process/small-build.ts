import type { ServerBuild } from "@remix-run/cloudflare";
import * as z from "zod";

export const Page = () => null;
const routeModule = z.custom<NonNullable<ServerBuild["routes"][string]>["module"]>(() => true);
export const serverBuild = z.custom<ServerBuild>((value) => typeof value === "object");

export const route = (id: string, where: object, module: object, parentId: string | undefined = "root") => [
  id,
  { id, parentId, ...where, module: routeModule.parse(module) },
];

/** A site with a route of each kind. */
export const smallBuild = serverBuild.parse({
  routes: {
    ...Object.fromEntries([
      ["root", { id: "root", path: "", module: { default: Page } }],
      route("home", { index: true }, { default: Page }),
      route("pricing", { path: "pricing" }, { default: Page }),
      route("form", { path: "subscription/:id?" }, { default: Page, action: Page, handle: { hydrate: true } }),
      route("robots", { path: "robots.txt" }, { loader: Page }),
      route("health", { path: "health" }, { loader: Page }),
      route("within", { path: "more" }, { default: Page }, "pricing"),
      route("item", { path: "items/:item" }, { default: Page }),
      route("rest", { path: "*" }, { default: Page }),
    ]),
    gone: undefined,
  },
});
