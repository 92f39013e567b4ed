import { WorkerEntrypoint } from "cloudflare:workers";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { cloudflareRay } from "../../app/shared/http/request-id";
import { loggedPath } from "../../app/shared/log/logged-path";
import { namesOf, readConfig } from "./config";
import { runScheduled } from "./cron/run";
import { runLimits } from "./cron/run-limits";
import type { ApiContext } from "./http/api-context";
import * as guards from "./http/guards";
import { healthCheck } from "./http/health";
import { linkPages } from "./http/link-pages";
import { openApi } from "./http/openapi";
import { COMMANDS } from "./http/operator-commands";
import { errorResponse, problem, unavailable } from "./http/problem";
import { postStripeWebhook } from "./http/stripe-webhook";
import { endSubscription, getPackage, getSubscriptionStatus, postSubscription } from "./http/subscription";
import { hasLocalStripe } from "./local-development";
import { log, logFailure, withLogContext } from "./log";
import { dispatchMessages } from "./outbox/dispatch";
import type { PasswordHasher } from "./passwords/scrypt";
import { type Connect, connectWith } from "./services";

const headers = {
  https: secureHeaders({
    strictTransportSecurity: "max-age=63072000; includeSubDomains",
    xFrameOptions: "DENY",
  }),
  http: secureHeaders({ strictTransportSecurity: false, xFrameOptions: "DENY" }),
};

const OPERATOR = /^\/operator(\/|$)/;

const POLICY_HEADER = "content-security-policy";
const NO_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Creates the Worker's two entrypoints. Tests pass a cheaper hasher than scrypt. */
export function createApi(hasher: PasswordHasher) {
  const connect = connectWith(hasher);
  const forSite = routes(connect, "site");
  const publicApi = {
    fetch: routes(connect, "public").fetch,
    async scheduled(_controller: unknown, env: unknown): Promise<void> {
      const result = readConfig(env);
      if (result.status === "invalid") {
        log("error", "configuration_invalid", { keys: namesOf(result.problems) });
        return;
      }
      if (result.configuration.inMaintenance) return;
      const limits = runLimits();
      const run = () => runScheduled(connect(result.configuration, limits), limits);
      return withLogContext({ requestId: crypto.randomUUID(), isLocal: result.configuration.isLocal }, run);
    },
  };
  /** The entrypoint for the site's service binding, which is not reachable from the network. */
  class SiteApi extends WorkerEntrypoint {
    override fetch(request: Request): Response | Promise<Response> {
      return forSite.fetch(request, this.env, this.ctx);
    }
  }
  return { publicApi, SiteApi };
}

function routes(connect: Connect, entrypoint: guards.Entrypoint): Hono<ApiContext> {
  const app = new Hono<ApiContext>();

  app.use(requestId({ limitLength: 64, generator: cloudflareRay }));
  app.use((c, next) => withLogContext({ requestId: c.var.requestId, isLocal: hasLocalStripe(c.env) }, next));
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("x-request-id", c.var.requestId);
    if (!c.res.headers.has(POLICY_HEADER)) c.res.headers.set(POLICY_HEADER, NO_PAGE_POLICY);
    const route = matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path;
    log("info", "request", {
      method: c.req.method,
      route: route ?? "unknown",
      // A known route's path is not logged, because it may contain a token. In an unknown path, long segments are redacted.
      path: route === undefined ? loggedPath(new URL(c.req.url)).replace(/[^/]{40,}/g, "…") : undefined,
      status: c.res.status,
    });
  });
  app.use((c, next) => headers[c.req.url.startsWith("https:") ? "https" : "http"](c, next));
  if (entrypoint === "public") app.use(guards.requireLocalHost);
  app.use(guards.requireTls);

  if (entrypoint === "public") app.get("/openapi.json", (c) => c.json(openApi(new URL(c.req.url).origin)));

  app.use(async (c, next) => {
    const result = readConfig(c.env);
    if (result.status === "invalid") {
      const keys = namesOf(result.problems);
      log("error", "configuration_invalid", { keys });
      return unavailable({ title: "The service is not configured", keys }, "60");
    }
    const { configuration } = result;
    if (configuration.inMaintenance && !OPERATOR.test(c.req.path)) {
      return unavailable({ title: "Down for maintenance", keys: ["MAINTENANCE"] }, "60");
    }
    const services = connect(configuration);
    c.set("config", configuration);
    c.set("services", services);
    c.set("dispatchAfterResponse", () => {
      const failed = (error: unknown) => logFailure("dispatch_failed", error);
      c.executionCtx.waitUntil(dispatchMessages(services).catch(failed));
    });
    return next();
  });

  app.use("/subscription/*", guards.requireSite(entrypoint));
  app.post("/subscription", guards.limitSignUps, guards.bodyUpTo(16), guards.requireJson, postSubscription);
  app.all("/subscription", onlyPost);
  app.get("/subscription/packages/:id", getPackage);
  app.get("/subscription/status/:token", getSubscriptionStatus).delete(endSubscription);
  if (entrypoint === "public") {
    app.get("/health", healthCheck());
    app.post("/webhooks/stripe", guards.bodyUpTo(256), postStripeWebhook);
    app.all("/webhooks/stripe", onlyPost);
    app.route("/links", linkPages);
    app.use("/operator/*", guards.requireOperator, guards.bodyUpTo(16), guards.requireJson);
    for (const [name, command] of Object.entries(COMMANDS)) app.post(`/operator/${name}`, command);
  }

  app.notFound(() => problem(404, { title: "Not found" }));
  app.onError(errorResponse);
  return app;
}

function onlyPost(): Response {
  return problem(405, { title: "Only POST is allowed" }, { allow: "POST" });
}
