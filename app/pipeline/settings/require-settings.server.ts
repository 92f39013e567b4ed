import type { MiddlewareHandler } from "hono";
import { isLoopback, isLoopbackHost, ONLY_THIS_MACHINE, onHost } from "../../shared/settings";
import type { App, SiteEnv } from "../context.server";
import { plainPage } from "../response/error-page.server";
import { stylesheetReader } from "../response/stylesheets.server";
import { type Configuration, readConfiguration } from "./configuration.server";

type Settings = Pick<SiteEnv["Variables"], "configuration" | "app" | "readStylesheet"> & { isLocal: boolean };

/**
 * Reads the configuration on the first request and answers 503 until every setting is valid. With local settings, which could be
 * deployed by mistake, it serves only loopback requests, unless `npm start` was given a HOST.
 */
export function requireSettings(appWith: (configuration: Configuration) => App): MiddlewareHandler<SiteEnv> {
  let settings: Settings | undefined;
  return async (c, next) => {
    const url = c.get("url");
    if (settings === undefined) {
      const read = readConfiguration(c.env);
      if (read.status === "invalid") {
        c.get("log").error("misconfigured", {
          settings: read.problems.map(({ name, problem }) => `${name} ${problem}`),
        });
        if (url.pathname === "/health") return c.json({ status: "error", problems: read.problems }, 503);
        return plainPage(c, 503, "Service temporarily unavailable. Please try again later.");
      }
      const { configuration } = read;
      const readStylesheet = stylesheetReader(configuration.ASSETS);
      const isLocal = isLoopback(configuration.SITE_URL);
      settings = { configuration, app: appWith(configuration), readStylesheet, isLocal };
    }
    const configuration = settings.isLocal ? localConfiguration(url, settings.configuration) : settings.configuration;
    // https://www.rfc-editor.org/rfc/rfc9110#name-421-misdirected-request
    if (configuration === undefined) return plainPage(c, 421, ONLY_THIS_MACHINE);
    c.set("configuration", configuration);
    c.set("app", settings.app);
    c.set("readStylesheet", settings.readStylesheet);
    return next();
  };
}

/**
 * The local configuration with this machine's URLs on the request's host, so that another device can open them. Undefined for a
 * host that is not served.
 */
function localConfiguration({ hostname, origin }: URL, configuration: Configuration): Configuration | undefined {
  if (isLoopbackHost(hostname)) return configuration;
  if (configuration.HOST === undefined) return undefined;
  const { CONSOLE_URL, CUSTOMER_PORTAL_URL, STRIPE_JS_URL } = configuration;
  return {
    ...configuration,
    SITE_URL: origin,
    CONSOLE_URL: onHost(CONSOLE_URL, hostname),
    CUSTOMER_PORTAL_URL: onHost(CUSTOMER_PORTAL_URL, hostname),
    STRIPE_JS_URL: STRIPE_JS_URL && onHost(STRIPE_JS_URL, hostname),
  };
}
