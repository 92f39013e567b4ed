import { expect, test } from "vitest";
import { advanceDue } from "../../../../functions/subscription-api/cron/due-sign-ups";
import { type RestoreReport, reconcileRestored } from "../../../../functions/subscription-api/operator/after-restore";
import type { MessageKind } from "../../../../functions/subscription-api/outbox/outbox";
import { CHECK_RANKS } from "../../../../functions/subscription-api/sign-up";
import { answer } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

stopClock();

const HOUR = 3_600_000;
const RESTORED_TO = NOW - 2 * HOUR;
const STOPPED_AT = NOW - HOUR;
const RESTORE = { restoredTo: new Date(RESTORED_TO), stoppedAt: new Date(STOPPED_AT) };
const EVENTS = { ...RESTORE, from: "events/" };
const NOTHING: RestoreReport = { missing: [], deleted_again: 0, emails_held_back: 0, checked_again: 0, next: null };

type Api = ReturnType<typeof signUpsInProcess>;

/** Stripe has these events, all of them a second before maintenance began. */
function eventsAtStripe(api: Api, ...events: { type: string; about: string | null; signUpId?: string }[]): void {
  const data = events.map(({ type, about, signUpId }, index) => ({
    id: `evt_${index + 1}`,
    type,
    created: STOPPED_AT / 1000 - 1,
    data: { object: { id: about, metadata: { sign_up_id: signUpId } } },
  }));
  api.instead.set("GET events", ({ searchParams }) => {
    const last = searchParams.get("starting_after");
    const rest = data.slice(data.findIndex(({ id }) => id === last) + 1);
    return answer(200, { data: rest.slice(0, 2), has_more: rest.length > 2 });
  });
}

test("every sign-up is checked again with a new attempt at Stripe", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial();
  const { checked_again } = await reconcileRestored(RESTORE, api.services);
  expect(checked_again).toBe(1);
  expect(await api.find(id)).toMatchObject({ check_at: new Date(NOW).toISOString(), stripe_attempt: 1 });
});

test("sign-ups are checked again in parts of 2,000, each where the last one ended", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 2_001; each += 1) await api.signUp();
  const [last] = api.rows("SELECT id FROM sign_ups ORDER BY id LIMIT 1 OFFSET 1999");
  const first = await reconcileRestored(RESTORE, api.services);
  expect(first).toEqual({ ...NOTHING, checked_again: 2_000, next: `rows/${last?.id}` });
  const second = await reconcileRestored({ ...RESTORE, from: first.next ?? "" }, api.services);
  expect(second).toEqual({ ...NOTHING, checked_again: 1, next: "events/" });
  expect(api.rows("SELECT 1 FROM sign_ups WHERE stripe_attempt <> 1")).toEqual([]);
});

test.each<{ what: string; kind: MessageKind; due: number; attempts: number; isHeldBack: boolean }>([
  { what: "due just before the stop", kind: "card-used", due: STOPPED_AT - 1, attempts: 0, isHeldBack: true },
  { what: "due at the stop", kind: "trial-ending", due: STOPPED_AT, attempts: 0, isHeldBack: false },
  { what: "that failed before", kind: "trial-started", due: STOPPED_AT - 1, attempts: 1, isHeldBack: false },
  { what: "to support", kind: "not-me-reported", due: STOPPED_AT - 1, attempts: 0, isHeldBack: false },
  { what: "for the console", kind: "account-created", due: STOPPED_AT - 1, attempts: 0, isHeldBack: false },
])("a message $what ($kind) is held back: $isHeldBack", async ({ kind, due, attempts, isHeldBack }) => {
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  api.rows(
    `INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, attempts, created_at) VALUES ('a key', ?, ?, ?, ?, '')`,
    id,
    kind,
    new Date(due).toISOString(),
    attempts,
  );
  const { emails_held_back } = await reconcileRestored(RESTORE, api.services);
  expect(emails_held_back).toBe(isHeldBack ? 1 : 0);
  expect(api.rows("SELECT state FROM outbox")).toEqual([{ state: isHeldBack ? "dropped" : "due" }]);
});

test("a person whose sign-up is missing is named, with whether a trial had begun", async () => {
  const api = signUpsInProcess();
  const onTrial = await api.onTrial({ email: "trial@example.com" });
  const pending = await api.pending({ email: "pending@example.com" });
  api.rows("DELETE FROM sign_ups");
  eventsAtStripe(
    api,
    { type: "customer.created", about: onTrial.stripe_customer_id, signUpId: onTrial.id },
    { type: "customer.created", about: pending.stripe_customer_id, signUpId: pending.id },
  );
  const { missing } = await reconcileRestored(EVENTS, api.services);
  expect(missing).toEqual([
    { sign_up_id: onTrial.id, customer_id: onTrial.stripe_customer_id, had_trial: true },
    { sign_up_id: pending.id, customer_id: pending.stripe_customer_id, had_trial: false },
  ]);
});

test("a customer who is still in the database, was deleted since or is another service's is not missing", async () => {
  const api = signUpsInProcess();
  const known = await api.pending({ email: "known@example.com" });
  const gone = await api.pending({ email: "gone@example.com" });
  api.rows("DELETE FROM sign_ups WHERE id = ?", gone.id);
  await api.services.payments.deleteCustomer(gone.stripe_customer_id);
  eventsAtStripe(
    api,
    { type: "customer.created", about: known.stripe_customer_id, signUpId: known.id },
    { type: "customer.created", about: gone.stripe_customer_id, signUpId: gone.id },
    { type: "customer.created", about: "cus_of_another_service" },
  );
  const first = await reconcileRestored(EVENTS, api.services);
  expect(first).toEqual({ ...NOTHING, next: "events/evt_2" });
  expect(await reconcileRestored({ ...RESTORE, from: "events/evt_2" }, api.services)).toEqual(NOTHING);
});

test("a person who was erased after the database's content is erased again", async () => {
  const api = signUpsInProcess();
  const erased = await api.pending({ email: "erased@example.com" });
  const other = await api.pending({ email: "other@example.com" });
  eventsAtStripe(api, { type: "customer.deleted", about: erased.stripe_customer_id, signUpId: erased.id });
  expect(await reconcileRestored(EVENTS, api.services)).toEqual({ ...NOTHING, deleted_again: 1 });
  expect(api.rows("SELECT id FROM sign_ups")).toEqual([{ id: other.id }]);
});

test("a start email that went out before the stop is not sent a second time", async () => {
  const api = signUpsInProcess();
  const { id } = await api.pending();
  eventsAtStripe(api, { type: "customer.subscription.created", about: "sub_1", signUpId: id });
  expect(await reconcileRestored(EVENTS, api.services)).toEqual({ ...NOTHING, emails_held_back: 1 });
  expect(api.rows("SELECT kind, state FROM outbox")).toEqual([{ kind: "trial-started", state: "dropped" }]);
});

test("a part that is repeated holds back no start email and erases nobody a second time", async () => {
  const api = signUpsInProcess();
  const [one, other, erased] = [await api.pending(), await api.pending(), await api.pending()];
  const begun = "customer.subscription.created";
  eventsAtStripe(
    api,
    { type: begun, about: "sub_1", signUpId: one.id },
    { type: "customer.deleted", about: erased.stripe_customer_id, signUpId: erased.id },
    { type: begun, about: "sub_2", signUpId: other.id },
    { type: begun, about: "sub_1", signUpId: one.id },
  );
  const reports: RestoreReport[] = [];
  for (const from of ["events/", "events/", "events/evt_2", "events/", "events/evt_2"]) {
    reports.push(await reconcileRestored({ ...RESTORE, from }, api.services));
  }
  const told = reports.map(({ emails_held_back, deleted_again }) => [emails_held_back, deleted_again]);
  expect(told, "emails held back and persons erased by each part").toEqual([
    [1, 1],
    [0, 0],
    [1, 0],
    [0, 0],
    [0, 0],
  ]);
});

test("a start email that was held back stays so when its trial begins again here, however often it is checked", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial();
  eventsAtStripe(api, { type: "customer.subscription.created", about: "sub_1", signUpId: id });
  await api.change(id, "status = 'card_set_up', trial_end = NULL, stripe_subscription_id = NULL");
  api.rows("DELETE FROM outbox");
  for (const from of [undefined, "events/"]) await reconcileRestored({ ...RESTORE, from }, api.services);
  for (let runs = 0; runs < 2; runs += 1) {
    api.rows("UPDATE sign_ups SET check_at = created_at");
    await api.runScheduled();
  }
  expect(await api.find(id)).toMatchObject({ status: "trialing" });
  expect(api.sent.filter(({ key }) => key?.startsWith("trial-started/"))).toEqual([]);
});

test("the cron handler finds customer, card and subscription at Stripe that the database has lost", async () => {
  const api = signUpsInProcess();
  const { id, stripe_customer_id, stripe_subscription_id } = await api.onTrial();
  const lost = "stripe_subscription_id = NULL, stripe_setup_intent_id = NULL, stripe_customer_id = NULL";
  await api.change(id, `status = 'pending', trial_end = NULL, ${lost}`);
  api.rows("DELETE FROM trial_claims");
  await reconcileRestored(RESTORE, api.services);
  await advanceDue(CHECK_RANKS.mayHaveTrial, new Date(), api.services);
  expect(await api.find(id)).toMatchObject({ status: "trialing", stripe_subscription_id, stripe_customer_id });
  expect(api.model.all("subscription")).toHaveLength(1);
});
