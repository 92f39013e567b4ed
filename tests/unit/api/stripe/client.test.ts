import { expect, test } from "vitest";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import { type Answer, answer } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* How failed calls to Stripe are reported. */

stopClock();

/** Its message quotes something typed, which no log line may have. */
const failed = (status: number, error: object): Answer =>
  answer(status, { error: { message: "No ada@example.com", ...error } });

type Failure = { what: string; said: Answer; reason: string; isRepeated?: true; level?: "warn" | "error" };

/** `isRepeated`: Stripe gives the same answer for the same idempotency key. */
const FAILURES: Failure[] = [
  {
    what: "an error of Stripe's own",
    said: failed(500, { type: "api_error" }),
    reason: "unavailable",
    isRepeated: true,
  },
  {
    what: "a key that was used with other parameters",
    said: failed(400, { type: "idempotency_error" }),
    reason: "unavailable",
    isRepeated: true,
  },
  { what: "a key in use", said: failed(409, { type: "idempotency_error" }), reason: "in-progress" },
  {
    what: "an email address",
    said: failed(400, { type: "invalid_request_error", code: "email_invalid" }),
    reason: "email-refused",
  },
  {
    what: "a parameter",
    said: failed(400, { type: "invalid_request_error" }),
    reason: "unexpected-answer",
    isRepeated: true,
  },
  { what: "a card", said: failed(402, { type: "card_error" }), reason: "unavailable", isRepeated: true },
  { what: "too many calls", said: failed(429, { type: "invalid_request_error" }), reason: "unavailable" },
  {
    what: "a wrong key",
    said: failed(401, { type: "invalid_request_error" }),
    reason: "unavailable",
    isRepeated: true,
    level: "error",
  },
  {
    what: "a key without permission",
    said: failed(403, { type: "invalid_request_error" }),
    reason: "unavailable",
    isRepeated: true,
    level: "error",
  },
  { what: "text instead of JSON", said: { status: 200, text: "<html>" }, reason: "unexpected-answer" },
];

test.each(FAILURES)("a read that fails because of $what is $reason and keeps its idempotency keys", async (failure) => {
  const { services, instead } = signUpsInProcess();
  instead.set("", failure.said);
  const { reason } = failure;
  await expect(services.payments.findCard("cus_1")).rejects.toMatchObject({ reason, needsNewKey: false });
});

test.each(FAILURES.map((each) => ({ ...each, isRepeated: each.isRepeated ?? false })))(
  "a creation that fails because of $what needs a new idempotency key: $isRepeated",
  async ({ said, reason, isRepeated }) => {
    const { services, instead, signUp } = signUpsInProcess();
    instead.set("", said);
    const made = services.payments.findOrCreateCustomer(await signUp());
    await expect(made).rejects.toMatchObject({ name: "PaymentsError", reason, needsNewKey: isRepeated });
  },
);

test.each(FAILURES.map((each) => ({ ...each, level: each.level ?? "warn" })))(
  "a call that fails because of $what is logged as $level",
  async ({ said, level }) => {
    const { services, instead, logged } = signUpsInProcess();
    instead.set("", said);
    await services.payments.findCard("cus_1").catch(() => undefined);
    expect(logged).toEqual([expect.objectContaining({ level, event: "stripe_failed" })]);
  },
);

test.each<{ what: string; said: () => Promise<Response>; cause: string }>([
  { what: "a closed port", said: () => Promise.reject(new Error("Network connection lost.")), cause: "connection" },
  { what: "a name without an address", said: () => Promise.reject(new Error("internal error")), cause: "dns or tls" },
  {
    what: "no answer in time",
    said: () => Promise.reject(new DOMException("of the client's own timer", "AbortError")),
    cause: "deadline",
  },
  { what: "a proxy's page", said: async () => new Response("<html>", { status: 502 }), cause: "answer" },
  { what: "an error status", said: async () => Response.json({ error: {} }, { status: 500 }), cause: "status" },
])("a call that fails because of $what is logged with the cause $cause", async ({ said, cause }) => {
  const { services, instead, logged } = signUpsInProcess();
  instead.set("", said);
  await services.payments.findCard("cus_1").catch(() => undefined);
  expect(logged).toEqual([expect.objectContaining({ event: "stripe_failed", cause })]);
});

test("a failed call is logged with Stripe's type, code, status and request ID, without its message", async () => {
  const { services, instead, logged } = signUpsInProcess();
  const error = { type: "card_error", code: "card_declined", decline_code: "stolen_card", param: "items[0][price]" };
  const said = { error: { message: "No ada@example.com", ...error } };
  instead.set("", async () => Response.json(said, { status: 402, headers: { "request-id": "req_of_the_test" } }));
  await services.payments.findCard("cus_1").catch(() => undefined);
  expect(JSON.stringify(logged)).not.toContain("ada@example.com");
  expect(logged).toEqual([
    expect.objectContaining({ event: "stripe_failed", ...error, status: 402, stripe_request_id: "req_of_the_test" }),
  ]);
});

test("a call has five seconds and one retry", () => {
  const client = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] });
  expect(client.getApiField("timeout")).toBe(5_000);
  expect(client.getMaxNetworkRetries()).toBe(1);
});

test("the version of Stripe's API is pinned", () => {
  const client = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] });
  expect(client.getApiField("version")).toBe("2026-10-28.endive");
});
