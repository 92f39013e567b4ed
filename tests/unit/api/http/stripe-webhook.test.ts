import { expect, test } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { eventOf, sign } from "../../../support/stripe-events";

/* Stripe repeats an event until it gets a 2xx: https://docs.stripe.com/webhooks#retries */

stopClock();

/** A sign-up whose card is set up at Stripe, and the event about it. */
async function withCardSetUp() {
  const failing = { database: false };
  const api = apiInProcess({
    io: async (_, effect) => {
      if (failing.database) throw new Error("D1 DB is overloaded");
      return effect();
    },
  });
  await api.post();
  await api.settled();
  const [intent] = api.model.all("setup_intent");
  api.model.confirm(intent?.id ?? "", "a card", false);
  const event = eventOf("setup_intent.succeeded", { ...intent });
  const deliver = async (body = event, signature = sign(body)) => {
    const headers = { "stripe-signature": signature };
    const answer = await api.ask("/webhooks/stripe", { method: "POST", body, headers });
    await api.settled();
    return answer;
  };
  return { ...api, failing, deliver, status: () => api.rows("SELECT status FROM sign_ups")[0]?.status };
}

test("an event is not acknowledged while Stripe or D1 fails; later it starts the trial and sends its email at once", async () => {
  const { instead, failing, deliver, status, rows } = await withCardSetUp();
  instead.set("", refusal(400, "parameter_invalid"));
  expect(await deliver()).toHaveStatus(502);
  instead.clear();
  failing.database = true;
  expect(await deliver()).toHaveStatus(503);
  failing.database = false;
  expect(status()).toBe("pending");
  expect(await deliver()).toHaveStatus(200);
  expect(status()).toBe("trialing");
  expect(rows("SELECT state FROM outbox WHERE kind = 'trial-started'")).toEqual([{ state: "sent" }]);
});

test("an event with another body's signature is refused; one about no sign-up, or one that is gone, is acknowledged", async () => {
  const { deliver, status, logged, rows } = await withCardSetUp();
  expect(await deliver(undefined, sign("another body"))).toBeProblem(400, "The signature is missing, wrong or too old");
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "webhook_refused" }));
  expect(await deliver(eventOf("invoice.paid", { id: "in_1" }))).toHaveStatus(200);
  expect(status()).toBe("pending");
  rows("DELETE FROM sign_ups");
  expect(await deliver()).toHaveStatus(200);
});
