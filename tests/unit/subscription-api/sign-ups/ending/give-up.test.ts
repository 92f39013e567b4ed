import { describe, expect, test } from "vitest";
import { giveUpOldest, replaceSignUp } from "../../../../../functions/subscription-api/sign-ups/ending/give-up";
import type { SignUp } from "../../../../../functions/subscription-api/sign-ups/sign-up";
import { signUpsInProcess } from "../../../../support/api-in-process/sign-ups";
import { refusal } from "../../../../support/api-in-process/stripe-model";
import { validRequest } from "../../../../support/visitors/visitor";

test.each([
  [50, []],
  [51, [0]],
  [52, [0, 1]],
  [53, [1, 2]],
])(
  "of %i pending sign-ups of an address fifty stay, and at most two of the others end at once",
  async (made, expected) => {
    const { services, unknownToStripe, rows } = signUpsInProcess();
    const ids: string[] = [];
    for (let n = 0; n < made; n += 1) {
      const created = new Date(Date.UTC(2026, 10, 22, 12, n)).toISOString();
      ids.push((await unknownToStripe({}, `created_at = '${created}'`)).id);
    }
    await giveUpOldest(validRequest.email, services);
    const givenUp = rows("SELECT id FROM sign_ups WHERE status = 'ended' ORDER BY created_at");
    expect(givenUp.map(({ id }) => ids.indexOf(String(id)))).toEqual(expected);
  },
);

describe("a sign-up replaced by another form", () => {
  function replacing() {
    const all = signUpsInProcess({ onePerPerson: true });
    const replace = async ({ id }: SignUp) => {
      const [row] = all.rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id);
      await replaceSignUp(String(row?.idempotency_key), all.services);
      return (await all.find(id)).status;
    };
    return { ...all, replace };
  }

  test("is ended at Stripe first", async () => {
    const { pending, replace, calls } = replacing();
    const signUp = await pending();
    expect(await replace(signUp)).toBe("ended");
    const setupIntent = `setup_intents/${signUp.stripe_setup_intent_id}`;
    expect(calls).toEqual([`GET ${setupIntent}`, `POST ${setupIntent}/cancel`]);
  });

  test("stays unchanged if it is not pending or not the named one", async () => {
    const { pending, replace, services, find, calls } = replacing();
    const signUp = await pending({}, "status = 'card_set_up'");
    expect(await replace(signUp)).toBe("card_set_up");
    await replaceSignUp("another key", services);
    expect([await find(signUp.id), calls]).toEqual([signUp, []]);
  });

  test("is ended without Stripe if it has no setup intent or Stripe has canceled it", async () => {
    const { pending, unknownToStripe, replace, services, calls } = replacing();
    const canceled = await pending({ email: "second@example.com" });
    await services.payments.cancelSetupIntent(canceled.stripe_setup_intent_id);
    calls.length = 0;
    expect(await replace(await unknownToStripe())).toBe("ended");
    expect(await replace(canceled)).toBe("ended");
    expect(calls).toEqual([`GET setup_intents/${canceled.stripe_setup_intent_id}`]);
  });

  test("is ended even if Stripe does not answer", async () => {
    const { pending, replace, instead } = replacing();
    const signUp = await pending();
    instead.set("GET setup_intents", refusal(400, "parameter_invalid"));
    expect(await replace(signUp)).toBe("ended");
  });

  test("gets its trial if its card was just set up; the next use of that card is refused [H10]", async () => {
    const { pending, enterCard, replace, model } = replacing();
    const [first, second] = [await pending(), await pending({ email: "second@example.com" })];
    for (const signUp of [first, second]) enterCard(signUp);
    expect(await replace(first)).toBe("trialing");
    expect(await replace(second)).toBe("ended");
    expect(model.all("payment_method", second.stripe_customer_id)).toEqual([]);
  });

  test("stays unchanged while the database fails", async () => {
    const { pending, enterCard, replace, rows, find } = replacing();
    const signUp = await pending();
    enterCard(signUp);
    rows("ALTER TABLE trial_claims RENAME TO away");
    await expect(replace(signUp)).rejects.toThrow("no such table");
    expect(await find(signUp.id)).toMatchObject({ status: "pending" });
  });
});
