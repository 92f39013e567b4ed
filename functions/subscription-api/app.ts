import { WorkerEntrypoint } from "cloudflare:workers";
import { type Context, Hono } from "hono";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { countIn } from "../../app/contract/funnel-steps";
import { describeError } from "../../app/shared/describe-error";
import { loggedPath } from "../../app/shared/logged-path";
import { type Config, keysOf, readConfig } from "./config";
import { cronRunsIn } from "./cron-runs";
import { databaseOver } from "./database";
import type { ApiContext, Services } from "./http/api-context";
import { errorResponse } from "./http/error-response";
import { atMost } from "./http/guard/body";
import { requireJson } from "./http/guard/json";
import { limitSignUps } from "./http/guard/limit-sign-ups";
import { requireLocalHost } from "./http/guard/local-host";
import { refuseForeignOrigins } from "./http/guard/own-origin";
import { type Entrypoint, requireSite } from "./http/guard/require-site";
import { requireTls } from "./http/guard/require-tls";
import { healthCheck } from "./http/health";
import { linkPages } from "./http/links/links";
import openApi from "./http/openapi.json";
import { problem } from "./http/problem";
import { postStripeWebhook } from "./http/stripe-webhook";
import { getSubscriptionStatus, postSubscription } from "./http/subscription";
import { type RunLimits, runLimits } from "./limits/run-limits";
import { signUpCountsIn } from "./limits/sign-up-counts";
import { trialClaims } from "./limits/trial-claims";
import { log, withRequestId } from "./log";
import { postAfterRestore, postCatalog, postErase, postExport } from "./operator/commands";
import { erasuresIn } from "./operator/erasures";
import { operatorPage } from "./operator/page/page";
import { requireOperator } from "./operator/require-operator";
import { restoredDatabase } from "./operator/restore/restored-database";
import { stripeHistory } from "./operator/restore/stripe-history";
import { accountWebhookTo } from "./outbox/account-webhook";
import { dispatchMessages } from "./outbox/dispatch";
import { mailOver } from "./outbox/emails/email";
import { outboxIn } from "./outbox/outbox";
import { stuckMessagesIn } from "./outbox/stuck-messages";
import { packagesIn } from "./plans/packages";
import { runScheduled } from "./scheduled";
import type { PasswordHasher } from "./sign-ups/password/password";
import { LOCAL_SLOT_MS, type PasswordQueue, passwordQueue, SLOT_MS } from "./sign-ups/password/password-queue";
import { processedEventsIn } from "./sign-ups/store/processed-events";
import { signUpEndingsIn } from "./sign-ups/store/sign-up-endings";
import { signUpLifecycleIn } from "./sign-ups/store/sign-up-lifecycle";
import { signUpsIn } from "./sign-ups/store/sign-up-store";
import { signedLinks } from "./signed-links";
import { stripeClient, type Waiting } from "./stripe/client";
import { withDeadline } from "./stripe/deadline";
import { stripeWebhook } from "./stripe/events";
import { stripePayments } from "./stripe/payments";
import { stripePrices } from "./stripe/plan-prices";

const headers = {
  https: secureHeaders({
    strictTransportSecurity: "max-age=63072000; includeSubDomains",
    xFrameOptions: "DENY",
  }),
  http: secureHeaders({ strictTransportSecurity: false, xFrameOptions: "DENY" }),
};

const OPERATOR = /^\/operator(\/|$)/;

/** Routes without a waiting visitor. */
const NO_VISITORS = /^\/(webhooks|operator)(\/|$)/;

const POLICY_HEADER = "content-security-policy";
const NO_PAGE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Shorter than the site's timeout of ten seconds. */
const ANSWERED_WITHIN_MS = 9_000;
const RETRIED_FOR_MS = 5_000;

const command = [requireOperator("command"), atMost(16), requireJson] as const;

type Connect = (config: Config, waiting: Waiting, limits?: RunLimits) => Services;

/** @param passwords makes the hasher for a cost, log2 of scrypt's N, or its own */
export function createApi(passwords: (cost?: number) => PasswordHasher) {
  // One for each isolate, whose configuration is read once.
  const queues = new WeakMap<Config, PasswordQueue>();
  const queueOf = (config: Config) => {
    const known = queues.get(config) ?? passwordQueue(passwords(config.passwordCost), slotMs(config));
    queues.set(config, known);
    return known;
  };
  const connect: Connect = (config, ...given) => ({
    ...servicesFor(config, ...given),
    passwords: queueOf(config),
  });
  const forSite = routes(connect, "site");
  const publicApi = {
    fetch: routes(connect, "public").fetch,
    async scheduled(_controller: unknown, env: unknown): Promise<void> {
      const result = readConfig(env);
      if (result.status === "invalid") {
        log("error", "configuration_invalid", { keys: keysOf(result.problems) });
        return;
      }
      if (result.configuration.inMaintenance) return;
      const limits = runLimits();
      const run = () => runScheduled(connect(result.configuration, "nobody", limits), limits);
      return withRequestId(crypto.randomUUID(), run);
    },
  };
  /** Not reachable from the network. */
  class SiteApi extends WorkerEntrypoint {
    override fetch(request: Request): Response | Promise<Response> {
      return forSite.fetch(request, this.env, this.ctx);
    }
  }
  return { publicApi, SiteApi };
}

function routes(connect: Connect, entrypoint: Entrypoint): Hono<ApiContext> {
  const app = new Hono<ApiContext>();

  app.use(requestId({ limitLength: 64, generator: newRequestId }));
  app.use((c, next) => withRequestId(c.var.requestId, next));
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("x-request-id", c.var.requestId);
    if (!c.res.headers.has(POLICY_HEADER)) c.res.headers.set(POLICY_HEADER, NO_PAGE_POLICY);
    const route = matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path;
    log("info", "request", {
      method: c.req.method,
      route: route ?? "unknown",
      // A known route's path may hold a token, so only unknown paths are logged.
      path: route === undefined ? loggedPath(new URL(c.req.url)).replace(/[^/]{40,}/g, "…") : undefined,
      status: c.res.status,
    });
  });

  app.use((c, next) => headers[c.req.url.startsWith("https:") ? "https" : "http"](c, next));
  if (entrypoint === "public") app.use(requireLocalHost);
  app.use(requireTls);

  if (entrypoint === "public") {
    app.get("/health", healthCheck());
    app.get("/openapi.json", (c) => c.json(openApi));
  }

  app.use(async (c, next) => {
    const result = readConfig(c.env);
    if (result.status === "invalid") {
      log("error", "configuration_invalid", { keys: keysOf(result.problems) });
      return problem(503, { title: "The service is not configured", keys: keysOf(result.problems) });
    }
    const { configuration } = result;
    if (configuration.inMaintenance && !OPERATOR.test(c.req.path)) {
      return problem(503, { title: "Down for maintenance" }, { "retry-after": "60" });
    }
    const waiting = NO_VISITORS.test(c.req.path) ? "nobody" : "visitor";
    c.set("config", configuration);
    c.set("services", connect(configuration, waiting));
    c.set("dispatchAfterResponse", () => {
      const failed = (error: unknown) => log("error", "dispatch_failed", describeError(error));
      const dispatched = withDeadline(Infinity, () => dispatchMessages(connect(configuration, "nobody")));
      c.executionCtx.waitUntil(dispatched.catch(failed));
    });
    await withDeadline(waiting === "visitor" ? Date.now() + answeredWithin(configuration) : Infinity, next);
  });

  app.use("/subscription/*", requireSite(entrypoint));
  app.post("/subscription", limitSignUps, atMost(16), requireJson, postSubscription);
  app.all("/subscription", onlyPost);
  app.get("/subscription/status/:token", getSubscriptionStatus);
  if (entrypoint === "public") {
    app.post("/webhooks/stripe", atMost(256), postStripeWebhook);
    app.all("/webhooks/stripe", onlyPost);
    app.route("/links", linkPages);
    app.use("/operator/*", refuseForeignOrigins);
    app.post("/operator/export", ...command, postExport);
    app.post("/operator/erase", ...command, postErase);
    app.post("/operator/after-restore", ...command, postAfterRestore);
    app.post("/operator/catalog", ...command, postCatalog);
    app.use("/operator/*", requireOperator("page"));
    app.use("/operator/send-again", atMost(16));
    app.route("/operator", operatorPage);
  }

  app.notFound(() => problem(404, { title: "Not found" }));

  app.onError(errorResponse);
  return app;
}

/** Longer in local development, for bursts of sign-ups. */
function answeredWithin({ isLocal, deadlineFactor }: Config): number {
  return (isLocal ? LOCAL_SLOT_MS : ANSWERED_WITHIN_MS) * deadlineFactor;
}

function slotMs({ isLocal, deadlineFactor }: Config): number {
  return (isLocal ? LOCAL_SLOT_MS : SLOT_MS) * deadlineFactor;
}

function newRequestId({ req }: Context): string {
  return /^[\w-]{1,64}$/.exec(req.header("cf-ray") ?? "")?.[0] ?? crypto.randomUUID();
}

function onlyPost(): Response {
  return problem(405, { title: "Only POST is allowed" }, { allow: "POST" });
}

export function servicesFor(config: Config, waiting: Waiting, limits?: RunLimits): Omit<Services, "passwords"> {
  const countedFetch: typeof fetch = (...given) => {
    limits?.count(1);
    return fetch(...given);
  };
  const stripe = stripeClient(config.stripe, waiting, limits && countedFetch);
  const lastRetry = Date.now() + RETRIED_FOR_MS * config.deadlineFactor;
  const db = databaseOver(config.d1, {
    mayRetry: () => (limits ? limits.hasLeft() : Date.now() < lastRetry),
    onStatement: () => limits?.count(1),
  });
  const count = countIn(config.funnel, (counted) => log("info", "funnel", counted));
  return {
    packages: packagesIn(db),
    signUps: signUpsIn(db, count),
    lifecycle: signUpLifecycleIn(db, count),
    endings: signUpEndingsIn(db, count),
    processedEvents: processedEventsIn(db),
    claims: trialClaims(config.trials),
    counts: signUpCountsIn(db, config.trials),
    links: signedLinks(config.links),
    outbox: outboxIn(db),
    stuckMessages: stuckMessagesIn(db),
    erasures: erasuresIn(db),
    restoredDatabase: restoredDatabase(db),
    cronRuns: cronRunsIn(db),
    payments: stripePayments(stripe, config),
    prices: stripePrices(stripe),
    stripeHistory: stripeHistory(stripe),
    stripeWebhook: stripeWebhook(stripe, config.stripe.webhookSecrets),
    mail: mailOver(config.mail, config.deadlineFactor),
    refundsReported: config.refundsReported,
    accountWebhook: config.console && accountWebhookTo(config.console, config.deadlineFactor),
  };
}
