import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { matchedRoutes } from "hono/route";
import { packagesIn } from "./catalogue/packages";
import { type Config, keysOf, readConfig } from "./config";
import type { ApiContext, Services } from "./http/context";
import { getHealth } from "./http/health";
import { linkPages } from "./http/links";
import { postCatalogue, postErase, postExport, requireOperator } from "./http/operator";
import { problem } from "./http/problem";
import { postStripeWebhook } from "./http/stripe-webhook";
import { getSubscriptionStatus, postSubscription } from "./http/subscription";
import { signUpCountsIn } from "./limits/sign-up-counts";
import { trialClaims } from "./limits/trial-claims";
import { describeError, log } from "./log";
import { accountWebhookTo } from "./outbox/account-webhook";
import { dispatchMessages } from "./outbox/dispatch";
import { mailOver } from "./outbox/mail";
import { outboxIn } from "./outbox/outbox";
import { runScheduled } from "./scheduled";
import type { PasswordHasher } from "./sign-ups/password";
import { processedEventsIn } from "./sign-ups/processed-events";
import { signUpEndingsIn } from "./sign-ups/sign-up-endings";
import { signUpLifecycleIn } from "./sign-ups/sign-up-lifecycle";
import { signUpsIn } from "./sign-ups/sign-up-store";
import { signedLinks } from "./signed-links";
import { PaymentsError, stripeClient } from "./stripe/client";
import { stripePayments } from "./stripe/payments";
import { stripePrices } from "./stripe/prices";
import { stripeWebhook } from "./stripe/webhook";

const KIB = 1024;

type Connect = (config: Config) => Services;

/** The subscription API as a Worker. */
export function createApi(passwords: PasswordHasher) {
  const connect: Connect = (config) => servicesFor(config, passwords);
  return {
    fetch: routes(connect).fetch,
    async scheduled(_controller: unknown, env: unknown): Promise<void> {
      const result = readConfig(env);
      if (result.status === "valid") return runScheduled(connect(result.configuration));
      log("error", "configuration_invalid", { keys: keysOf(result.problems) });
    },
  };
}

function routes(connect: Connect): Hono<ApiContext> {
  const app = new Hono<ApiContext>();

  app.use(async (c, next) => {
    c.set("requestId", c.req.header("cf-ray") ?? crypto.randomUUID());
    await next();
    log("info", "request", {
      requestId: c.var.requestId,
      method: c.req.method,
      // Not the path, which may hold personal data.
      route: matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path ?? "unknown",
      status: c.res.status,
    });
  });

  app.get("/health", getHealth);

  app.use(async (c, next) => {
    const result = readConfig(c.env);
    if (result.status === "invalid") {
      log("error", "configuration_invalid", { requestId: c.var.requestId, keys: keysOf(result.problems) });
      return problem(503, { title: "The service is not configured", keys: keysOf(result.problems) });
    }
    const services = connect(result.configuration);
    c.set("services", services);
    c.set("operatorToken", result.configuration.operatorToken);
    c.set("dispatchAfterResponse", () => {
      const { requestId } = c.var;
      const failed = (error: unknown) => log("error", "dispatch_failed", { requestId, ...describeError(error) });
      c.executionCtx.waitUntil(dispatchMessages(services).catch(failed));
    });
    await next();
  });

  app.post("/subscription", atMost(16 * KIB), postSubscription);
  app.get("/subscription/status/:token", getSubscriptionStatus);
  app.route("/links", linkPages);
  app.post("/webhooks/stripe", atMost(512 * KIB), postStripeWebhook);
  app.use("/operator/*", requireOperator);
  app.post("/operator/export", atMost(16 * KIB), postExport);
  app.post("/operator/erase", atMost(16 * KIB), postErase);
  app.post("/operator/catalogue", atMost(16 * KIB), postCatalogue);
  app.on(["GET", "PUT", "PATCH", "DELETE"], ["/subscription", "/webhooks/stripe"], () =>
    problem(405, { title: "Only POST is allowed" }, { allow: "POST" }),
  );

  app.notFound(() => problem(404, { title: "Not found" }));

  app.onError((error, c) => {
    log("error", "request_failed", { requestId: c.var.requestId, ...describeError(error) });
    if (!(error instanceof PaymentsError)) return problem(500, { title: "Internal server error" });
    switch (error.reason) {
      case "in-progress":
        return problem(409, { title: "The same request is still in progress" }, { "retry-after": "2" });
      case "unexpected-answer":
        return problem(502, { title: "The payment provider gave an unexpected answer" });
      case "failed":
      case "unavailable":
        return problem(503, { title: "The payment provider is unavailable" }, { "retry-after": "5" });
    }
  });
  return app;
}

function atMost(maxSize: number) {
  return bodyLimit({ maxSize, onError: () => problem(413, { title: `The body is larger than ${maxSize / KIB} KiB` }) });
}

function servicesFor(config: Config, passwords: PasswordHasher): Services {
  const stripe = stripeClient(config.stripe);
  return {
    passwords,
    packages: packagesIn(config.db),
    signUps: signUpsIn(config.db),
    lifecycle: signUpLifecycleIn(config.db),
    endings: signUpEndingsIn(config.db),
    processedEvents: processedEventsIn(config.db),
    claims: trialClaims(config.trials),
    counts: signUpCountsIn(config.db, config.trials),
    links: signedLinks(config.links),
    outbox: outboxIn(config.db),
    payments: stripePayments(stripe),
    prices: stripePrices(stripe),
    stripeWebhook: stripeWebhook(stripe, config.stripe.webhookSecret),
    mail: mailOver(config.mail),
    accountWebhook: config.console && accountWebhookTo(config.console),
  };
}
