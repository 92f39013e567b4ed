import { expect, test } from "vitest";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import type { Instead } from "../../../support/api-in-process/api";
import { type Answer, answer } from "../../../support/api-in-process/stripe-objects";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/** Its message quotes something typed, which no log line may have. */
const failed = (status: number, type: string, code?: string): Answer =>
  answer(status, { error: { message: "No ada@example.com", type, code } });
const rejects = (error: Error) => () => Promise.reject(error);

const REQUEST = "invalid_request_error";
const SAVED: Answer = { ...failed(500, "api_error"), isReplayed: true };
const TIMEOUT = new DOMException("of the client's own timer", "AbortError");

// `isForGood`: Stripe has saved the answer to a creation, and gives it again for the same idempotency key.
test.each<{ what: string; said: Answer | Instead; reason: string; isForGood?: true; level?: "error"; cause?: string }>([
  { what: "a 500, perhaps of Stripe's edge", said: failed(500, "api_error"), reason: "unavailable" },
  { what: "a saved 500", said: SAVED, reason: "unavailable", isForGood: true },
  { what: "a key with other parameters", said: failed(400, "idempotency_error"), reason: "in-progress" },
  { what: "a key in use", said: failed(409, "idempotency_error"), reason: "in-progress" },
  { what: "an email address", said: failed(400, REQUEST, "email_invalid"), reason: "email-refused" },
  { what: "a parameter", said: failed(400, REQUEST), reason: "unexpected-answer", isForGood: true },
  { what: "a card", said: failed(402, "card_error"), reason: "unavailable", isForGood: true },
  { what: "too many calls", said: failed(429, REQUEST), reason: "unavailable" },
  { what: "a wrong key", said: failed(401, REQUEST), reason: "unavailable", level: "error" },
  { what: "a forbidden call", said: failed(403, REQUEST), reason: "unavailable", level: "error" },
  { what: "text instead of JSON", said: { status: 200, text: "<" }, reason: "unexpected-answer", cause: "answer" },
  { what: "a lost connection", said: rejects(new Error("lost.")), reason: "unavailable", cause: "connection" },
  { what: "an unknown name", said: rejects(new Error("internal error")), reason: "unavailable", cause: "dns or tls" },
  { what: "no answer in time", said: rejects(TIMEOUT), reason: "unavailable", cause: "deadline" },
])("a call that fails because of $what is $reason, and says if a creation needs another key", async (row) => {
  const { said, reason, isForGood = false, level = "warn", cause = "status" } = row;
  const { services, instead, logged, signUp } = signUpsInProcess();
  const { payments } = services;
  const created = await signUp();
  instead.set("", said);
  const failure = { name: "PaymentsError", reason };
  const made = payments.findOrCreateCustomer(created);
  await expect(made).rejects.toMatchObject({ ...failure, needsNewKey: isForGood });
  await expect(payments.findCard("cus_1")).rejects.toMatchObject({ ...failure, needsNewKey: false });
  expect(logged.at(-1)).toMatchObject({ level, event: "stripe_failed", cause });
});

test("a failed call is logged with Stripe's type, code, status and request ID, without its message", async () => {
  const { services, instead, logged } = signUpsInProcess();
  const error = { type: "card_error", code: "card_declined", decline_code: "stolen_card", param: "items[0][price]" };
  const said = { error: { message: "No ada@example.com", ...error } };
  instead.set("", async () => Response.json(said, { status: 402, headers: { "request-id": "req_of_the_test" } }));
  await expect(services.payments.findCard("cus_1")).rejects.toThrow();
  const answered = { cause: "status", status: 402, stripe_request_id: "req_of_the_test" };
  expect(logged).toMatchObject([{ event: "stripe_failed", ...error, ...answered }]);
});

test("a call has five seconds and one retry, of a pinned version of Stripe's API", () => {
  const client = stripeClient({ secretKey: "sk_test_1", webhookSecrets: [] });
  expect(client.getApiField("timeout")).toBe(5_000);
  expect(client.getMaxNetworkRetries()).toBe(1);
  expect(client.getApiField("version")).toBe("2026-10-28.endive");
});
