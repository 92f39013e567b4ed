import { expect, test } from "vitest";
import { reconcileRestored } from "../../../functions/subscription-api/operator/after-restore";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS } from "../../../functions/subscription-api/sign-ups/sign-up";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { answer } from "../../support/api-in-process/stripe-model";

/* After a restore: in bounded parts every sign-up is to be checked again, and Stripe's events are read. */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const RESTORE = { restoredTo: new Date(NOW - 7_200_000), stoppedAt: new Date(NOW - 3_600_000) };
stopClock(NOW);

test("every sign-up is checked again, 2,000 in a part; emails that were due before the stop are held back", async () => {
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  api.rows(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 2000)
     INSERT INTO sign_ups SELECT printf('%05d', n), 'key-' || n, status, end_reason, package_id, email, password_hash, phone,
       company_name, full_name, address, city, state, zip_code, country, NULL, NULL, NULL, stripe_attempt, trial_end,
       email_verified_at, declined_cards, used_cards, used_card, request_id, version, created_at, updated_at, NULL
       FROM numbers, sign_ups`,
  );
  const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) VALUES (?1, ?2, ?1, ?3, '')";
  const { stoppedAt } = RESTORE;
  api.rows(message, "card-used", id, new Date(stoppedAt.getTime() - 1).toISOString());
  api.rows(message, "trial-ending", id, stoppedAt.toISOString());
  api.rows(message, "account-created", id, RESTORE.restoredTo.toISOString());
  const first = await reconcileRestored(RESTORE, api.services);
  expect(first).toMatchObject({ checked_again: 2_000, emails_held_back: 1, next: "rows/02000" });
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
  const pages = [
    [
      eventOf("subscription.created", "sub_1", begun.id),
      eventOf("subscription.created", "sub_2", erased.id),
      eventOf("deleted", erased.stripe_customer_id, erased.id),
    ],
    [
      ...[begun, lost, gone].map(({ id, stripe_customer_id }) => eventOf("created", stripe_customer_id, id)),
      eventOf("created", "cus_of_another_service"),
    ],
  ];
  api.instead.set("GET events", () => answer(200, { data: pages.shift(), has_more: pages.length > 0 }));
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
  const lost =
    "trial_end = NULL, stripe_subscription_id = NULL, stripe_setup_intent_id = NULL, stripe_customer_id = NULL";
  await api.change(signUp.id, `status = 'pending', ${lost}`);
  api.rows("DELETE FROM trial_claims");
  await reconcileRestored(RESTORE, api.services);
  await advanceDue(CHECK_RANKS.mayHaveTrial, api.services, () => true);
  const { stripe_subscription_id, stripe_customer_id } = signUp;
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing", stripe_subscription_id, stripe_customer_id });
  expect(api.model.all("subscription")).toHaveLength(1);
});
