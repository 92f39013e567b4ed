import { afterEach, describe, expect, test, vi } from "vitest";
import { giveUpOldest, replaceSignUp } from "../../../../functions/subscription-api/sign-ups/give-up";
import { stripeClient } from "../../../../functions/subscription-api/stripe/client";
import { stripePayments } from "../../../../functions/subscription-api/stripe/payments";
import { signUpsOver } from "../../../support/database/sign-ups-in-memory";
import { signUpsOverModel } from "../../../support/stripe/sign-ups-over-model";
import { STRIPE_CONFIG } from "../../../support/stripe/stripe-answers";
import { validRequest } from "../../../support/visitors/visitor";

/** Pending sign-ups of one address, one a minute, each with an open setup intent at a Stripe that gives one answer. */
async function pending(made: number, answer: (id: string) => Response) {
  const calls: string[] = [];
  const fetcher: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname.replace("/v1/setup_intents/", "");
    calls.push(`${init?.method} ${path}`);
    return answer(path.replace("/cancel", ""));
  };
  const stripe = stripeClient(STRIPE_CONFIG, "nobody", fetcher);
  const { services, rows, signUpWith } = signUpsOver(stripePayments(stripe), { onePerPerson: false });
  const ids: string[] = [];
  for (let n = 0; n < made; n += 1) {
    const created = new Date(Date.UTC(2026, 10, 22, 12, n)).toISOString();
    ids.push((await signUpWith(`created_at = '${created}', stripe_setup_intent_id = 'seti_${n}'`)).id);
  }
  const givenUp = () =>
    rows("SELECT id FROM sign_ups WHERE status = 'superseded' ORDER BY created_at").map(({ id }) =>
      ids.indexOf(String(id)),
    );
  const keyOf = (index: number) =>
    String(rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", ids[index] ?? "")[0]?.idempotency_key);
  return { services, calls, givenUp, keyOf, rows };
}

const setupIntent = (id: string, status: string) => Response.json({ id, client_secret: "a secret", status });
const open = (id: string) => setupIntent(id, "requires_payment_method");

afterEach(() => vi.restoreAllMocks());

describe("of an e-mail address", () => {
  test.each([
    [50, []],
    [51, [0]],
    [52, [0, 1]],
    [53, [1, 2]],
  ])("with %i pending sign-ups fifty are kept, and of the rest two at once are given up", async (made, expected) => {
    const { services, calls, givenUp } = await pending(made, open);
    await giveUpOldest(validRequest.email, services);
    expect(givenUp()).toEqual(expected);
    const asked = [...expected].reverse();
    expect(calls).toEqual(asked.flatMap((index) => [`GET seti_${index}`, `POST seti_${index}/cancel`]));
  });
});

describe("a sign-up that another form replaces", () => {
  test("is given up, at Stripe first, and only while it is pending", async () => {
    const { services, calls, givenUp, keyOf, rows } = await pending(3, open);
    rows("UPDATE sign_ups SET status = 'active' WHERE stripe_setup_intent_id = 'seti_1'");
    for (const key of [keyOf(0), keyOf(1), "another key"]) await replaceSignUp(key, services);
    expect([calls, givenUp()]).toEqual([["GET seti_0", "POST seti_0/cancel"], [0]]);
  });

  test("is given up without Stripe where it has no setup intent, and where Stripe has canceled it", async () => {
    const { services, calls, givenUp, keyOf, rows } = await pending(2, (id) => setupIntent(id, "canceled"));
    rows("UPDATE sign_ups SET stripe_setup_intent_id = NULL WHERE stripe_setup_intent_id = 'seti_0'");
    await replaceSignUp(keyOf(0), services);
    await replaceSignUp(keyOf(1), services);
    expect([calls, givenUp()]).toEqual([["GET seti_1"], [0, 1]]);
  });

  test("is given up where Stripe does not answer", async () => {
    const { services, givenUp, keyOf } = await pending(1, () =>
      Response.json({ error: { type: "invalid_request_error" } }, { status: 400 }),
    );
    await replaceSignUp(keyOf(0), services);
    expect(givenUp()).toEqual([0]);
  });

  test("gets its trial where its card was set up at the last moment", async () => {
    const { services, pending, enterCard, find, rows } = signUpsOverModel();
    const signUp = await pending();
    enterCard(signUp);
    await replaceSignUp(String(rows("SELECT idempotency_key FROM sign_ups")[0]?.idempotency_key), services);
    expect(await find(signUp.id)).toMatchObject({ status: "trialing" });
  });

  test("is given up with a card that has had its trial, which is detached [H10]", async () => {
    const { services, pending, enterCard, find, rows, model } = signUpsOverModel({ onePerPerson: true });
    const [first, second] = [await pending(), await pending({ email: "second@example.com" })];
    const keyOf = ({ id }: { id: string }) =>
      String(rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id)[0]?.idempotency_key);
    for (const signUp of [first, second]) {
      enterCard(signUp);
      await replaceSignUp(keyOf(signUp), services);
    }
    expect(await find(first.id)).toMatchObject({ status: "trialing" });
    expect(await find(second.id)).toMatchObject({ status: "superseded" });
    expect(model.all("payment_method", second.stripe_customer_id)).toEqual([]);
  });

  test("stays as it is while the database fails", async () => {
    const { services, pending, enterCard, rows, find } = signUpsOverModel();
    const signUp = await pending();
    const key = String(rows("SELECT idempotency_key FROM sign_ups")[0]?.idempotency_key);
    enterCard(signUp);
    rows("ALTER TABLE trial_claims RENAME TO away");
    await expect(replaceSignUp(key, services)).rejects.toThrow("no such table");
    expect(await find(signUp.id)).toMatchObject({ status: "pending" });
  });
});
