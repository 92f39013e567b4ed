import { expect, test } from "vitest";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { reconcileRestored } from "../../../../functions/subscription-api/operator/after-restore";
import { CHECK_RANKS } from "../../../../functions/subscription-api/sign-ups/sign-up";
import { answer } from "../../../support/api-in-process/stripe-model";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

const RESTORE = { restoredTo: new Date(NOW - 7_200_000), stoppedAt: new Date(NOW - 3_600_000) };
stopClock();

test("every sign-up is checked again, 2,000 in a part; emails due before the stop are held back", async () => {
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  for (let each = 0; each < 2_000; each += 1) await api.signUp();
  const [last] = api.rows("SELECT id FROM sign_ups ORDER BY id LIMIT 1 OFFSET 1999");
  const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?1, ?3, '')";
  const { stoppedAt } = RESTORE;
  api.rows(message, "card-used", id, new Date(stoppedAt.getTime() - 1).toISOString());
  api.rows(message, "trial-ending", id, stoppedAt.toISOString());
  api.rows(message, "account-created", id, RESTORE.restoredTo.toISOString());
  const first = await reconcileRestored(RESTORE, api.services);
  expect(first).toMatchObject({ checked_again: 2_000, emails_held_back: 1, next: `rows/${last?.id}` });
  const second = await reconcileRestored({ ...RESTORE, from: first.next ?? "" }, api.services);
  expect(second).toMatchObject({ checked_again: 1, emails_held_back: 0, next: "events/" });
  expect(api.rows("SELECT 1 FROM sign_ups WHERE check_at IS NULL OR stripe_attempt = 0")).toEqual([]);
  expect(api.rows("SELECT key FROM outbox WHERE state = 'dropped'")).toEqual([{ key: "card-used" }]);
});

test("events tell who is missing, who was deleted, and whose trial had begun", async () => {
  const api = signUpsInProcess();
  const [begun, erased] = [await api.pending(), await api.pending({ email: "erased@example.com" })];
  const lost = await api.onTrial({ email: "lost@example.com" }, "another card");
  const gone = await api.pending({ email: "gone@example.com" });
  api.rows("DELETE FROM sign_ups WHERE id IN (?, ?)", lost.id, gone.id);
  await api.services.payments.deleteCustomer(gone.stripe_customer_id);
  const created = RESTORE.stoppedAt.getTime() / 1000 - 1;
  const eventOf = (type: string, id: string | null, sign_up_id?: string) => {
    return { id: `evt_${type}`, type: `customer.${type}`, created, data: { object: { id, metadata: { sign_up_id } } } };
  };
  const events = [
    eventOf("created", "cus_of_another_service"),
    eventOf("subscription.created", "sub_1", begun.id),
    eventOf("subscription.created", "sub_2", erased.id),
    eventOf("deleted", erased.stripe_customer_id, erased.id),
    ...[begun, lost, gone].map(({ id, stripe_customer_id }) => eventOf("created", stripe_customer_id, id)),
  ];
  api.instead.set("GET events", () => answer(200, { data: events.splice(0, 4), has_more: events.length > 0 }));
  const first = await reconcileRestored({ ...RESTORE, from: "events/" }, api.services);
  expect(first).toMatchObject({ missing: [], deleted_again: 1, emails_held_back: 1, next: "events/evt_deleted" });
  const second = await reconcileRestored({ ...RESTORE, from: "events/evt_deleted" }, api.services);
  const missing = [{ sign_up_id: lost.id, customer_id: lost.stripe_customer_id, had_trial: true }];
  expect(second).toMatchObject({ missing, deleted_again: 0, emails_held_back: 0, next: null });
  expect(api.rows("SELECT id FROM sign_ups")).toEqual([{ id: begun.id }]);
});

test("the cron handler finds at Stripe what the database has lost: customer, card, subscription", async () => {
  const api = signUpsInProcess();
  const signUp = await api.onTrial();
  const lost = "stripe_subscription_id = NULL, stripe_setup_intent_id = NULL, stripe_customer_id = NULL";
  await api.change(signUp.id, `status = 'pending', trial_end = NULL, ${lost}`);
  api.rows("DELETE FROM trial_claims");
  await reconcileRestored(RESTORE, api.services);
  await advanceDue(CHECK_RANKS.mayHaveTrial, api.services, () => true);
  const { stripe_subscription_id, stripe_customer_id } = signUp;
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing", stripe_subscription_id, stripe_customer_id });
  expect(api.model.all("subscription")).toHaveLength(1);
});
