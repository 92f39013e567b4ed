import type { Context, MiddlewareHandler } from "hono";
import { isLoopback, isLoopbackHost, onHost } from "../../shared/settings/settings";
import type { SiteEnv } from "../context.server";

/** Local settings could be deployed by mistake: serves only loopback requests, unless `npm start` was given a HOST. */
export function localHosts(refuse: (c: Context<SiteEnv>) => Response): MiddlewareHandler<SiteEnv> {
  let isLocal: boolean | undefined;
  return async (c, next) => {
    const configuration = c.get("configuration");
    isLocal ??= isLoopback(configuration.SITE_URL);
    const url = c.get("url");
    if (!isLocal || isLoopbackHost(url.hostname)) return next();
    if (configuration.HOST === undefined) return refuse(c);
    c.set("configuration", onRequestHost(configuration, url));
    return next();
  };
}

type Configuration = SiteEnv["Variables"]["configuration"];

/** This machine's URLs on the request's host, so that another device can open them. */
function onRequestHost(configuration: Configuration, { hostname, origin }: URL): Configuration {
  const { CONSOLE_URL, CUSTOMER_PORTAL_URL, STRIPE_JS_URL } = configuration;
  return {
    ...configuration,
    SITE_URL: origin,
    CONSOLE_URL: onHost(CONSOLE_URL, hostname),
    CUSTOMER_PORTAL_URL: CUSTOMER_PORTAL_URL && onHost(CUSTOMER_PORTAL_URL, hostname),
    STRIPE_JS_URL: STRIPE_JS_URL && onHost(STRIPE_JS_URL, hostname),
  };
}
