import type { MiddlewareHandler } from "hono";
import type { App, SiteEnv } from "../context.server";
import { plainPage } from "../response/error-page.server";
import { stylesheetReader } from "../response/stylesheets.server";
import { type Configuration, readConfiguration } from "./configuration.server";

type Settings = Pick<SiteEnv["Variables"], "configuration" | "app" | "readStylesheet">;

/** Reads the configuration on the first request and answers 503 until every setting is valid. */
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
      settings = { configuration, app: appWith(configuration), readStylesheet };
    }
    c.set("configuration", settings.configuration);
    c.set("app", settings.app);
    c.set("readStylesheet", settings.readStylesheet);
    return next();
  };
}
