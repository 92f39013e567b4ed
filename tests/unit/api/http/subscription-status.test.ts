import { expect, test } from "vitest";
import * as z from "zod";
import { apiInProcess } from "../../../support/api-in-process/api";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";

/* The answers of a status URL. */

stopClock();

const accepted = z.object({ status_url: z.string() });
const TRIAL_END = "2026-12-01T00:00:00.000Z";

/** A sign-up whose row was changed since it was accepted. */
async function signUpWith(columns?: string) {
  const api = apiInProcess();
  const { status_url } = accepted.parse(await (await api.post()).json());
  await api.settled();
  if (columns !== undefined) api.rows(`UPDATE sign_ups SET ${columns}`);
  return {
    ...api,
    async status() {
      const answer = await api.ask(status_url, {}, "site");
      await api.settled();
      return answer;
    },
  };
}

const PRICE = { price_cents: 50_000, currency: "usd" };

test.each([
  { what: "without a card", columns: undefined, answer: { status: "pending", ...PRICE } },
  { what: "without a plan", columns: "price_cents = NULL", answer: { status: "pending" } },
  {
    what: "on trial",
    columns: `status = 'trialing', trial_end = '${TRIAL_END}'`,
    answer: { status: "trial", trial_end: TRIAL_END, ...PRICE },
  },
  {
    what: "that has paid",
    columns: `status = 'active', trial_end = '${TRIAL_END}'`,
    answer: { status: "trial", trial_end: TRIAL_END, ...PRICE },
  },
  {
    what: "whose payment failed",
    columns: `status = 'past_due', trial_end = '${TRIAL_END}'`,
    answer: { status: "trial", trial_end: TRIAL_END, ...PRICE },
  },
  { what: "that was canceled", columns: "status = 'canceled'", answer: { status: "ended" } },
  { what: "whose fifth card failed", columns: "declined_cards = 5", answer: { status: "ended" } },
])("the status of a sign-up $what is $answer.status", async ({ columns, answer }) => {
  const { status } = await signUpWith(columns);
  expect(await (await status()).json()).toEqual(answer);
});

test("while another request starts the trial, the status is pending", async () => {
  const { status, instead } = await signUpWith("status = 'card_set_up'");
  instead.set("", refusal(409, "", "idempotency_error"));
  expect(await (await status()).json()).toEqual({ status: "pending", ...PRICE });
});

test("the status of a sign-up that is gone is ended", async () => {
  const { status, rows } = await signUpWith();
  rows("DELETE FROM sign_ups");
  expect(await (await status()).json()).toEqual({ status: "ended" });
});

test("a token that nobody signed is answered with 404", async () => {
  const { ask } = apiInProcess();
  expect(await ask("/subscription/status/a-token", {}, "site")).toBeProblem(404, "Not found");
});

test("a status asks Stripe although the sender is over its limit for forms", async () => {
  const limiter = { limit: async () => ({ success: false }) };
  const { ask } = apiInProcess({ settings: { SIGNUP_RATE_LIMIT: limiter } });
  expect(await ask("/subscription/status/a-token", {}, "site")).toHaveStatus(404);
});
