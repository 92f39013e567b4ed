import { describe, expect, test, vi } from "vitest";
import { reconcileSignUps } from "../../../../functions/subscription-api/sign-ups/reconcile";
import { CHECK_RANKS } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { stopClock } from "../../../support/api-in-process/clock";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { answer } from "../../../support/api-in-process/stripe-model";

const HOUR = 60 * 60_000;
const NOW = Date.parse("2026-03-02T12:00:00Z");
const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString();

stopClock(NOW);

const always = () => true;

/** Due sign-ups, and a run of the cron handler over one rank of them. */
function dueSignUps() {
  const world = signUpsInProcess();
  const set = (id: string, values: Record<string, string | number | null>) => {
    for (const [column, value] of Object.entries(values))
      world.rows(`UPDATE sign_ups SET ${column} = ? WHERE id = ?`, value, id);
  };
  return {
    ...world,
    set,
    /** A sign-up without its card that was begun so long ago. */
    async begun(milliseconds: number, values: Record<string, string | number | null> = {}) {
      const signUp = await world.pending({ email: `${crypto.randomUUID()}@example.com` });
      set(signUp.id, { created_at: ago(milliseconds), check_at: ago(1), ...values });
      return signUp;
    },
    run: (rank: keyof typeof CHECK_RANKS, goesOn = always) =>
      reconcileSignUps(CHECK_RANKS[rank], world.services, goesOn),
    checkAt: (id: string) => world.rows("SELECT check_at FROM sign_ups WHERE id = ?", id)[0]?.check_at,
  };
}

describe("a sign-up without a card", () => {
  test("is kept for a day and checked at growing intervals", async () => {
    const { begun, run, find, checkAt, logged } = dueSignUps();
    const { id } = await begun(2 * HOUR);
    await run("mayHaveTrial");
    expect(await find(id)).toMatchObject({ status: "pending" });
    expect(checkAt(id)).toBe(new Date(NOW - 2 * HOUR + 6 * HOUR).toISOString());
    expect(logged).toMatchObject([{ event: "sign_up_reconciled", signUpId: id, was: "pending", outcome: "waits" }]);
  });

  test("is deleted after a day, at Stripe first", async () => {
    const { begun, run, rows, model } = dueSignUps();
    const kept = await begun(24 * HOUR - 1);
    const abandoned = await begun(24 * HOUR);
    const unrecorded = await begun(24 * HOUR, { stripe_customer_id: null });
    await run("mayHaveTrial");
    expect(rows("SELECT id FROM sign_ups")).toEqual([{ id: kept.id }]);
    expect(model.get(abandoned.stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
    for (const { stripe_customer_id: id } of [abandoned, unrecorded])
      expect(model.get(id)).toMatchObject({ deleted: true });
    expect(model.get(kept.stripe_customer_id)?.deleted).toBeUndefined();
  });

  test("is deleted without Stripe calls for objects it never had", async () => {
    const { unknownToStripe, rows, run, calls } = dueSignUps();
    await unknownToStripe();
    rows("UPDATE sign_ups SET created_at = ?, check_at = ?", ago(25 * HOUR), ago(1));
    await run("leftToDelete");
    expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    expect(calls.filter((call) => !call.startsWith("GET customers"))).toEqual([]);
  });

  test("gets its trial if Stripe has a card without a webhook", async () => {
    const { begun, run, find, enterCard } = dueSignUps();
    const signUp = await begun(25 * HOUR);
    enterCard(signUp);
    await run("leftToDelete");
    expect(await find(signUp.id)).toMatchObject({ status: "trialing" });
  });

  test("ends after five declined cards [H3]", async () => {
    const { begun, run, find, model } = dueSignUps();
    const signUp = await begun(HOUR, { declined_cards: 3, used_cards: 2 });
    await run("mayHaveTrial");
    expect(await find(signUp.id)).toMatchObject({ status: "ended", end_reason: "cards-failed" });
    expect(model.get(signUp.stripe_setup_intent_id)).toMatchObject({ status: "canceled" });
  });
});

test("a trial follows Stripe after a lost webhook, and without a plan ends by itself", async () => {
  const { onTrial, run, find, model, set, checkAt } = dueSignUps();
  const [atStripe, withoutPlan] = [await onTrial(), await onTrial({ email: "other@example.com" })];
  set(withoutPlan.id, { package_id: null, stripe_subscription_id: null });
  for (const { id } of [atStripe, withoutPlan]) set(id, { check_at: ago(1) });
  for (const subscription of model.all("subscription")) model.become(subscription, "past_due");
  await run("mayHaveTrial");
  expect(await find(atStripe.id)).toMatchObject({ status: "past_due" });
  expect(await find(withoutPlan.id)).toMatchObject({ status: "canceled" });
  expect([checkAt(atStripe.id), checkAt(withoutPlan.id)]).toEqual([null, null]);
});

describe("a reconciliation of more than one batch", () => {
  test("takes everything due: once with fewer than sixty, twice with sixty", async () => {
    for (const [due, taken] of [
      [59, 1],
      [60, 2],
    ] as const) {
      const { unknownToStripe, run, rows, services } = dueSignUps();
      for (let n = 0; n < due; n += 1) await unknownToStripe();
      rows("UPDATE sign_ups SET created_at = ?, check_at = ?", ago(25 * HOUR), ago(1));
      const take = vi.spyOn(services.lifecycle, "takeDue");
      await run("leftToDelete");
      expect(take).toHaveBeenCalledTimes(taken);
      expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    }
  });

  test("returns what it has no time for to the next run at once", async () => {
    const { begun, run, rows, checkAt } = dueSignUps();
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push((await begun(25 * HOUR)).id);
    let asked = 0;
    await run("leftToDelete", () => {
      asked += 1;
      return asked <= 10;
    });
    const left = rows("SELECT id FROM sign_ups").map(({ id }) => String(id));
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(30);
    expect(left.map(checkAt)).toEqual(left.map(() => new Date(NOW).toISOString()));
  });
});

test("logs a sign-up that fails, and goes on with the others", async () => {
  const { begun, run, find, instead, logged } = dueSignUps();
  const [broken, other] = [await begun(2 * HOUR), await begun(2 * HOUR)];
  instead.set(`GET setup_intents/${broken.stripe_setup_intent_id}`, answer(200, {}));
  await run("mayHaveTrial");
  expect(await find(broken.id)).toMatchObject({ status: "pending" });
  const failed = logged.filter(({ event }) => event === "sign_up_reconcile_failed");
  expect(failed).toMatchObject([{ level: "error", signUpId: broken.id, was: "pending", error: "PaymentsError" }]);
  expect(logged).toContainEqual(expect.objectContaining({ event: "sign_up_reconciled", signUpId: other.id }));
});
