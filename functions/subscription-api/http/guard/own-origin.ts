import type { Context, MiddlewareHandler } from "hono";
import { log } from "../../log";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

const OWN_SITES = new Set(["same-origin", "none"]);

/** Refuses other sites' requests, because browsers add the saved Basic credentials to them. */
export const refuseForeignOrigins: MiddlewareHandler<ApiContext> = async (c, next) => {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const isOwnSite = site === undefined || OWN_SITES.has(site) || isOpenedAsPage(c);
  if (isOwnSite && (origin === undefined || origin === new URL(c.req.url).origin)) return next();
  log("warn", "operator_foreign_origin");
  return problem(403, { title: "The request comes from another site" });
};

/** A navigation from a link, or from Cloudflare Access after its login. */
function isOpenedAsPage({ req }: Context<ApiContext>): boolean {
  const isPage = req.header("sec-fetch-mode") === "navigate" && req.header("sec-fetch-dest") === "document";
  return req.method === "GET" && isPage;
}
