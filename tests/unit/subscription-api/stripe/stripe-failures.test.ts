import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { stripeAccess } from "../../../../functions/subscription-api/stripe/access";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../../functions/subscription-api/stripe/payments";

/* What Stripe's failures are taken for, and what the log tells of them: https://docs.stripe.com/error-low-level */

const CONFIG = { secretKey: "sk_test_1", webhookSecrets: ["whsec_1"] };
const TYPED = "somebody@example.com";

beforeEach(() => {
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
});

const logged = (level: "warn" | "error"): unknown[] =>
  vi.mocked(console[level]).mock.calls.map(([line]) => JSON.parse(String(line)));

function stripeThat(answer: (path: string) => Response) {
  const asked: string[] = [];
  const stripe = stripeClient(CONFIG, "nobody", async (url) => {
    const { pathname, search } = new URL(String(url));
    asked.push(decodeURIComponent(pathname + search));
    return answer(pathname);
  });
  Object.assign(stripe, { getInitialNetworkRetryDelay: () => 0.01, getMaxNetworkRetryDelay: () => 0.01 });
  return { stripe, asked, payments: stripePayments(stripe) };
}

const failure = (status: number, error: object = {}) =>
  Response.json({ error: { message: `No such customer: ${TYPED}`, ...error } }, { status });

describe("a Stripe call that fails", () => {
  test.each<[string, () => Response, string, string]>([
    ["an error of Stripe's own", () => failure(500, { type: "api_error" }), "unavailable", "warn"],
    ["a key that is in use", () => failure(409, { type: "idempotency_error" }), "in-progress", "warn"],
    ["a key used with other parameters", () => failure(400, { type: "idempotency_error" }), "unavailable", "warn"],
    [
      "an email address",
      () => failure(400, { type: "invalid_request_error", code: "email_invalid" }),
      "email-refused",
      "warn",
    ],
    ["a parameter", () => failure(400, { type: "invalid_request_error" }), "unexpected-answer", "warn"],
    ["a missing object", () => failure(404, { type: "invalid_request_error" }), "unexpected-answer", "warn"],
    ["too many calls", () => failure(429, { type: "invalid_request_error" }), "unavailable", "warn"],
    ["a wrong key", () => failure(401, { type: "invalid_request_error" }), "unavailable", "error"],
    ["a key without permission", () => failure(403, { type: "invalid_request_error" }), "unavailable", "error"],
    ["a response that is not JSON", () => new Response("<html>"), "unexpected-answer", "warn"],
    ["an unexpected response", () => Response.json({ id: "" }), "unexpected-answer", "error"],
  ])("because of %s is handled, and the log quotes nothing [F6] [G6]", async (_, answer, reason, level) => {
    const { payments } = stripeThat(answer);
    await expect(payments.cancelSetupIntent("seti_1")).rejects.toMatchObject({ name: "PaymentsError", reason });
    expect(logged(level === "warn" ? "error" : "warn")).toEqual([]);
    expect(logged(level === "warn" ? "warn" : "error")).toHaveLength(1);
    expect(JSON.stringify(logged(level === "warn" ? "warn" : "error"))).not.toContain(TYPED);
  });

  test("is logged with Stripe's codes and ids only, and only if they look like such [F6] [G14]", async () => {
    const error = { type: "card_error", code: "card_declined", decline_code: TYPED, param: "items[0][price]" };
    const headers = { "request-id": "req_1" };
    const { payments } = stripeThat(() =>
      Response.json({ error: { message: TYPED, ...error } }, { status: 402, headers }),
    );
    await expect(payments.cancelSetupIntent("seti_1")).rejects.toMatchObject({ reason: "unavailable" });
    expect(logged("warn")).toEqual([
      {
        level: "warn",
        event: "stripe_failed",
        type: "card_error",
        code: "card_declined",
        param: "items[0][price]",
        status: 402,
        stripe_request_id: "req_1",
      },
    ]);
  });

  test("by an error of our own is unavailable, and logged with the error's name [F6]", async () => {
    const { stripe, payments } = stripeThat(() => Response.json({}));
    vi.spyOn(stripe.setupIntents, "cancel").mockRejectedValueOnce(new RangeError(TYPED));
    await expect(payments.cancelSetupIntent("seti_1")).rejects.toMatchObject({ reason: "unavailable" });
    expect(logged("error")).toEqual([{ level: "error", event: "stripe_failed", type: "RangeError" }]);
  });

  test("with an unexpected response is logged with the names of its fields", async () => {
    const { payments } = stripeThat(() => Response.json({ id: "seti_1", client_secret: 5, status: "x" }));
    await expect(payments.cancelSetupIntent("seti_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
    expect(logged("error")).toEqual([{ level: "error", event: "stripe_answer_unexpected", fields: ["client_secret"] }]);
  });
});

describe("an object that Stripe does not know", () => {
  const missing = () => failure(404, { type: "invalid_request_error", code: "resource_missing" });

  test("is read as no setup intent, no invoice, no card, or a canceled subscription", async () => {
    const { payments } = stripeThat(missing);
    expect(await payments.findSetupIntent("seti_1")).toBeUndefined();
    expect(await payments.findInvoice("in_1")).toBeUndefined();
    expect(await payments.findBilling("sub_1")).toBeUndefined();
    expect(await payments.findCard("cus_1")).toBeNull();
    expect(await payments.retrieveSubscription("sub_1")).toEqual({
      stripeSubscriptionId: "sub_1",
      status: "canceled",
      trialStart: null,
      trialEnd: null,
    });
    await payments.cancelSubscription("sub_1");
    await payments.deleteCustomer("cus_1");
  });

  test("is distinguished from other refusals", async () => {
    const { payments } = stripeThat(() => failure(400, { type: "invalid_request_error", code: "parameter_unknown" }));
    await expect(payments.findSetupIntent("seti_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
    await expect(payments.deleteCustomer("cus_1")).rejects.toMatchObject({ reason: "unexpected-answer" });
  });
});

describe("detaching a card", () => {
  test.each([
    ["was detached meanwhile", null, true],
    ["is still attached", "cus_1", false],
  ])("counts as done if it %s", async (_, customer, done) => {
    let detaching = false;
    const { payments } = stripeThat((path) => {
      if (path.endsWith("/detach")) {
        detaching = true;
        return failure(400, { type: "invalid_request_error" });
      }
      return Response.json({ id: "pm_1", customer: detaching ? customer : "cus_1" });
    });
    const detached = payments.detachCard("pm_1");
    if (done) await expect(detached).resolves.toBeUndefined();
    else await expect(detached).rejects.toMatchObject({ reason: "unexpected-answer" });
  });
});

describe("the access to Stripe", () => {
  const list = () => Response.json({ data: [] });
  const accessOf = (answer: (path: string) => Response) => stripeAccess(stripeThat(answer).stripe);

  test.each<[string, (path: string) => Response, object]>([
    ["granted", list, { status: "granted" }],
    ["refused because of a wrong key", () => failure(401), { status: "wrong-key" }],
    ["unavailable", () => failure(500), { status: "unavailable" }],
    [
      "lacking a permission",
      (path) => (/prices|setup_intents/.test(path) ? failure(403) : list()),
      { status: "no-permission", lacks: ["setup intents, payment methods", "prices, products"] },
    ],
    [
      "refused because of a wrong key rather than a permission",
      (path) => failure(path.includes("prices") ? 401 : 403),
      { status: "wrong-key" },
    ],
    [
      "unavailable rather than lacking a permission",
      (path) => failure(path.includes("prices") ? 503 : 403),
      { status: "unavailable" },
    ],
  ])("is reported as %s [G9]", async (_, answer, access) => {
    expect(await accessOf(answer)).toEqual(access);
  });

  test("is checked with one small call for each kind of object", async () => {
    const { stripe, asked } = stripeThat(list);
    await stripeAccess(stripe);
    expect(asked.sort()).toEqual([
      "/v1/customers?limit=1",
      "/v1/prices?limit=1&expand[0]=data.product",
      "/v1/setup_intents?limit=1&expand[0]=data.payment_method",
      "/v1/subscriptions?limit=1&expand[0]=data.latest_invoice",
    ]);
  });
});
