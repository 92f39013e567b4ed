import type { AppLoadContext } from "@remix-run/cloudflare";
import { isLoopback, isLoopbackHost, onHost } from "../../shared/settings";
import type { RequestContext, SiteContext } from "../context.server";
import type { Handler } from "../middleware.server";
import { funnelOf } from "../plan-views.server";
import { misconfigured, misdirected } from "../response/fallbacks.server";
import { type Configuration, readConfiguration } from "./configuration.server";

/** Members of Remix's context that the pipeline does not provide itself. */
export type Services = Omit<
  { [Name in keyof AppLoadContext as string extends Name ? never : Name]: AppLoadContext[Name] },
  keyof SiteContext
>;

/**
 * Reads the configuration with the first request and answers 503 until every setting is valid. With local settings, which a
 * mistaken deployment could have, it serves loopback requests only, unless `npm start` got a HOST.
 */
export function requireSettings(
  services: (configuration: Configuration) => Services,
  next: Handler<AppLoadContext>,
): Handler<RequestContext> {
  let settings: (Services & { configuration: Configuration }) | undefined;
  return (request, context) => {
    if (settings === undefined) {
      const read = readConfiguration(context.env);
      if (read.status === "invalid") {
        const names = read.problems.map(({ name, problem }) => `${name} ${problem}`);
        context.log.error("misconfigured", { settings: names });
        return misconfigured(read.problems, context);
      }
      settings = { ...services(read.configuration), configuration: read.configuration };
    }
    const { requestId, url, ip, route, nonce, log, execution } = context;
    const configuration = configurationAt(url, settings.configuration);
    if (configuration === undefined) return misdirected(context);
    const funnel = funnelOf({ configuration, ip, log, execution });
    // `env` stays behind, so that secrets are read from the configuration only.
    return next(request, { ...settings, configuration, requestId, url, ip, route, nonce, log, execution, funnel });
  };
}

/**
 * The configuration for a request's host; undefined for a host that is not served. Replaces this machine's URLs, so that
 * another device can open them.
 */
function configurationAt({ hostname, origin }: URL, configuration: Configuration): Configuration | undefined {
  if (!isLoopback(configuration.SITE_URL) || isLoopbackHost(hostname)) return configuration;
  if (configuration.HOST === undefined) return undefined;
  const { CUSTOMER_PORTAL_URL, STRIPE_JS_URL } = configuration;
  return {
    ...configuration,
    SITE_URL: origin,
    CUSTOMER_PORTAL_URL: onHost(CUSTOMER_PORTAL_URL, hostname),
    STRIPE_JS_URL: STRIPE_JS_URL && onHost(STRIPE_JS_URL, hostname),
  };
}
