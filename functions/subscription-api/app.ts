import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { matchedRoutes } from "hono/route";
import { readConfig } from "./config";
import { getHealth } from "./http/health";
import { postCatalogue, postErase, postExport, requireOperator } from "./http/operator";
import { problem } from "./http/problem";
import { postStripeWebhook } from "./http/stripe-webhook";
import { postSubscription } from "./http/subscription";
import { describeError, log } from "./log";
import { dispatchMessages } from "./outbox/dispatch";
import { type ApiContext, servicesFor } from "./services";
import { PaymentsError } from "./stripe/payments";

const KIB = 1024;

/** The routes of the subscription API, and what every one of them passes: configuration, size limits, error answers. */
export const app = new Hono<ApiContext>();

app.use(async (c, next) => {
  c.set("requestId", c.req.header("cf-ray") ?? crypto.randomUUID());
  await next();
  log("info", "request", {
    requestId: c.var.requestId,
    method: c.req.method,
    // The pattern, since an address may hold anything.
    route: matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path ?? "unknown",
    status: c.res.status,
  });
});

app.get("/health", getHealth);

app.use(async (c, next) => {
  const result = readConfig(c.env);
  if (result.status === "invalid") {
    log("error", "configuration_invalid", { requestId: c.var.requestId, keys: result.keys });
    return problem(503, { title: "The service is not configured", keys: result.keys });
  }
  const services = servicesFor(result.config);
  c.set("services", services);
  c.set("operatorToken", result.config.operatorToken);
  c.set("dispatchAfterResponse", () => {
    const { requestId } = c.var;
    const failed = (error: unknown) => log("error", "dispatch_failed", { requestId, ...describeError(error) });
    c.executionCtx.waitUntil(dispatchMessages(services).catch(failed));
  });
  await next();
});

app.post("/subscription", atMost(16 * KIB), postSubscription);
app.post("/webhooks/stripe", atMost(512 * KIB), postStripeWebhook);
app.use("/operator/*", requireOperator);
app.post("/operator/export", atMost(16 * KIB), postExport);
app.post("/operator/erase", atMost(16 * KIB), postErase);
app.post("/operator/catalogue", atMost(16 * KIB), postCatalogue);
app.on(["GET", "PUT", "PATCH", "DELETE"], ["/subscription", "/webhooks/stripe"], () =>
  problem(405, { title: "Only POST is allowed here" }, { allow: "POST" }),
);

app.notFound(() => problem(404, { title: "There is nothing at this address" }));

app.onError((error, c) => {
  log("error", "request_failed", { requestId: c.var.requestId, ...describeError(error) });
  if (!(error instanceof PaymentsError)) return problem(500, { title: "Something went wrong here" });
  switch (error.reason) {
    case "in-progress":
      return problem(409, { title: "The same request is still being worked on" }, { "retry-after": "2" });
    case "unexpected-answer":
      return problem(502, { title: "The payment provider gave an answer that makes no sense" });
    case "failed":
    case "unavailable":
      return problem(503, { title: "The payment provider cannot be reached" }, { "retry-after": "5" });
  }
});

function atMost(maxSize: number) {
  return bodyLimit({ maxSize, onError: () => problem(413, { title: `The body is over ${maxSize / KIB} KiB` }) });
}
