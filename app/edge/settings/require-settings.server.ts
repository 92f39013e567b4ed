import type { AppLoadContext } from "@remix-run/cloudflare";
import { isLoopback, isLoopbackHost } from "../../contract/configuration";
import { funnelOf } from "../funnel.server";
import type { Handler } from "../middleware.server";
import type { RequestContext, SiteContext } from "../request-context.server";
import { misconfigured, misdirected } from "../response/fallbacks.server";
import { type Configuration, readConfiguration } from "./configuration.server";

/** The named members of Remix's context that the edge does not provide itself. */
export type Services = Omit<
  { [Name in keyof AppLoadContext as string extends Name ? never : Name]: AppLoadContext[Name] },
  keyof SiteContext | "formOutcome"
>;

/**
 * Reads the configuration with the first request; answers 503 until every setting is valid. With the settings of local
 * development, which a mistaken deployment could have, it serves this machine alone.
 */
export function requireSettings(
  services: (configuration: Configuration) => Services,
  next: Handler<AppLoadContext>,
): Handler<RequestContext> {
  let settings: (Services & { configuration: Configuration }) | undefined;
  let isLocal = false;
  return (request, context) => {
    if (settings === undefined) {
      const read = readConfiguration(context.env);
      if (read.status === "invalid") {
        const names = read.problems.map(({ name, problem }) => `${name} ${problem}`);
        context.log.error("misconfigured", { settings: names });
        return misconfigured(read.problems, context);
      }
      settings = { ...services(read.configuration), configuration: read.configuration };
      isLocal = isLoopback(read.configuration.SITE_URL);
    }
    const { requestId, url, ip, route, nonce, log, execution } = context;
    if (isLocal && !isLoopbackHost(url.hostname)) return misdirected(context);
    const funnel = funnelOf(settings.configuration, log);
    // Without `env`, whose secrets only the configuration hands on.
    return next(request, { ...settings, requestId, url, ip, route, nonce, log, execution, funnel });
  };
}
