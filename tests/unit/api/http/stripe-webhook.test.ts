import { expect, test } from "vitest";
import { apiInProcess, type Instead } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { eventOf, sign } from "../../../support/stripe-events";

/* Stripe repeats an event until it gets a 2xx: https://docs.stripe.com/webhooks#retries */

stopClock();

/** A sign-up whose card is set up at Stripe, and the event about it. */
async function withCardSetUp() {
  let databaseFails = false;
  const api = apiInProcess({
    io: async (_, effect) => {
      if (databaseFails) throw new Error("D1 DB is overloaded");
      return effect();
    },
  });
  await api.post();
  await api.settled();
  const [intent] = api.model.all("setup_intent");
  api.model.confirm(intent?.id ?? "", "a card", false);
  const event = eventOf("setup_intent.succeeded", { ...intent });
  return {
    ...api,
    failDatabase: (fails: boolean) => {
      databaseFails = fails;
    },
    async deliver(body = event, signature = sign(body)) {
      const headers = { "stripe-signature": signature };
      const answer = await api.ask("/webhooks/stripe", { method: "POST", body, headers });
      await api.settled();
      return answer;
    },
    status: () => api.rows("SELECT status FROM sign_ups")[0]?.status,
  };
}

const FAILURES: { what: string; answer: Instead }[] = [
  { what: "is down", answer: () => refusal(500, "", "api_error") },
  { what: "limits the rate", answer: () => refusal(429, "rate_limit") },
  { what: "refuses a parameter", answer: () => refusal(400, "parameter_invalid") },
  { what: "cannot be reached", answer: () => Promise.reject(new TypeError("fetch failed")) },
];

test.each(FAILURES)(
  "an event is not acknowledged while Stripe $what, so that Stripe repeats it",
  async ({ answer }) => {
    const { deliver, instead, status } = await withCardSetUp();
    instead.set("", answer);
    expect((await deliver()).status).toBeGreaterThanOrEqual(500);
    expect(status()).toBe("pending");
  },
);

test("an event is not acknowledged while the database fails", async () => {
  const { deliver, failDatabase } = await withCardSetUp();
  failDatabase(true);
  expect(await deliver()).toBeProblem(503, "The database is unavailable");
});

test("the repetition of an event that failed starts the trial", async () => {
  const { deliver, instead, status } = await withCardSetUp();
  instead.set("", refusal(500, "", "api_error"));
  await deliver();
  instead.clear();
  expect(await deliver()).toHaveStatus(200);
  expect(status()).toBe("trialing");
});

test("an event that is about no sign-up is acknowledged", async () => {
  const { deliver } = await withCardSetUp();
  expect(await deliver(eventOf("invoice.paid", { id: "in_1" }))).toHaveStatus(200);
});

test("an event about a sign-up that is gone is acknowledged", async () => {
  const { deliver, rows } = await withCardSetUp();
  rows("DELETE FROM sign_ups");
  expect(await deliver()).toHaveStatus(200);
});

test("an event with another body's signature is refused and changes nothing", async () => {
  const { deliver, status, logged } = await withCardSetUp();
  expect(await deliver(undefined, sign("another body"))).toBeProblem(400, "The signature is missing, wrong or too old");
  expect(status()).toBe("pending");
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "webhook_refused" }));
});

test("the start email is sent right after the event, not by the next run of the cron handler", async () => {
  const { deliver, rows } = await withCardSetUp();
  await deliver();
  expect(rows("SELECT state FROM outbox WHERE kind = 'trial-started'")).toEqual([{ state: "sent" }]);
});
