import { expect, test } from "vitest";
import { type RestoreReport, reconcileRestored } from "../../../../functions/subscription-api/operator/after-restore";
import type { MessageKind } from "../../../../functions/subscription-api/outbox/outbox";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import { HOUR } from "../../../support/api-in-process/scheduler";
import { answer } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";
import { type Api, SITUATIONS } from "../sign-ups/situations";

stopClock();

const STOPPED_AT = NOW - HOUR;
const RESTORE = { restoredTo: new Date(NOW - 2 * HOUR), stoppedAt: new Date(STOPPED_AT) };
const NOTHING: RestoreReport = { missing: [], deleted_again: 0, emails_held_back: 0, checked_again: 0, next: null };

type Event = { type: string; about: string | null; signUpId?: string; created?: number };

/** Stripe has these events, a second before maintenance began, in pages of two. */
function eventsAtStripe(api: Api, ...events: Event[]): void {
  const data = events.map(({ type, about, signUpId, created = STOPPED_AT / 1000 - 1 }, index) => ({
    ...{ id: `evt_${index + 1}`, type, created },
    data: { object: { id: about, metadata: { sign_up_id: signUpId } } },
  }));
  api.instead.set("GET events", ({ searchParams }) => {
    const last = searchParams.get("starting_after");
    const rest = data.slice(data.findIndex(({ id }) => id === last) + 1);
    return answer(200, { data: rest.slice(0, 2), has_more: rest.length > 2 });
  });
}

test("every sign-up is checked again with a new attempt at Stripe, in parts of 2,000", async () => {
  const api = signUpsInProcess();
  for (let each = 0; each < 2_001; each += 1) await api.signUp();
  const [last] = api.rows("SELECT id FROM sign_ups ORDER BY id LIMIT 1 OFFSET 1999");
  const first = await reconcileRestored(RESTORE, api.services);
  expect(first).toEqual({ ...NOTHING, checked_again: 2_000, next: `rows/${last?.id}` });
  const second = await reconcileRestored({ ...RESTORE, from: first.next ?? "" }, api.services);
  expect(second).toEqual({ ...NOTHING, checked_again: 1, next: "events/" });
  const distinct = "SELECT DISTINCT check_at, stripe_attempt, version FROM sign_ups";
  expect(api.rows(distinct)).toEqual([{ check_at: new Date(NOW).toISOString(), stripe_attempt: 1, version: 1 }]);
});

test.each<{ what: string; kind: MessageKind; due?: number; attempts?: number; held: number }>([
  { what: "due just before the stop", kind: "card-used", held: 1 },
  { what: "due at the stop", kind: "trial-ending", due: STOPPED_AT, held: 0 },
  { what: "that failed before", kind: "trial-started", attempts: 1, held: 0 },
  { what: "to support", kind: "not-me-reported", held: 0 },
])("of a message $what ($kind), $held are held back", async (row) => {
  const { kind, due = STOPPED_AT - 1, attempts = 0, held } = row;
  const api = signUpsInProcess();
  const { id } = await api.signUp();
  const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, attempts, created_at)";
  api.rows(`${message} VALUES ('a key', ?, ?, ?, ?, '')`, id, kind, new Date(due).toISOString(), attempts);
  expect(await reconcileRestored(RESTORE, api.services)).toMatchObject({ emails_held_back: held });
  expect(api.rows("SELECT state FROM outbox")).toEqual([{ state: held === 1 ? "dropped" : "due" }]);
});

test("the report names whose sign-up is missing and had a trial, and nobody known, deleted or of another service", async () => {
  const api = signUpsInProcess();
  const [onTrial, pending] = [await SITUATIONS["trialing without a plan, nothing"](api), await api.pending()];
  const gone = await api.pending({ email: "gone@example.com" });
  api.rows("DELETE FROM sign_ups");
  await api.services.payments.deleteCustomer(gone.stripe_customer_id);
  const known = await api.pending({ email: "known@example.com" });
  const created = ({ id, stripe_customer_id }: SignUp) => {
    return { type: "customer.created", about: stripe_customer_id, signUpId: id };
  };
  const another = { type: "customer.created", about: "cus_of_another_service" };
  eventsAtStripe(api, ...[onTrial, pending, known, gone].map(created), another);
  const missing = [
    { sign_up_id: onTrial.id, customer_id: onTrial.stripe_customer_id, had_trial: true },
    { sign_up_id: pending.id, customer_id: pending.stripe_customer_id, had_trial: false },
  ];
  const reportFrom = (from: string) => reconcileRestored({ ...RESTORE, from }, api.services);
  expect(await reportFrom("events/")).toEqual({ ...NOTHING, missing, next: "events/evt_2" });
  expect(await reportFrom("events/evt_2")).toEqual({ ...NOTHING, next: "events/evt_4" });
  expect(await reportFrom("events/evt_4")).toEqual(NOTHING);
});

test("who was erased is erased again and start emails before the stop are not sent again, once, however often a part runs", async () => {
  const api = signUpsInProcess();
  const one = await api.pending();
  const other = await api.pending();
  const erased = await api.pending();
  const later = await api.pending();
  const begun = { type: "customer.subscription.created", about: "sub_1" };
  eventsAtStripe(
    api,
    { ...begun, signUpId: one.id },
    { type: "customer.deleted", about: erased.stripe_customer_id, signUpId: erased.id },
    { ...begun, signUpId: other.id },
    { ...begun, signUpId: one.id },
    { ...begun, signUpId: later.id, created: STOPPED_AT / 1000 },
  );
  const parts = [];
  for (const from of ["events/", "events/", "events/evt_2", "events/evt_2", "events/evt_4"])
    parts.push(await reconcileRestored({ ...RESTORE, from }, api.services));
  expect(parts).toEqual([
    { ...NOTHING, emails_held_back: 1, deleted_again: 1, next: "events/evt_2" },
    { ...NOTHING, next: "events/evt_2" },
    { ...NOTHING, emails_held_back: 1, next: "events/evt_4" },
    { ...NOTHING, next: "events/evt_4" },
    NOTHING,
  ]);
  expect(api.rows("SELECT id FROM sign_ups ORDER BY rowid")).toEqual([one, other, later].map(({ id }) => ({ id })));
  const dropped = { kind: "trial-started", state: "dropped", drop_reason: "restored" };
  const held = [one, other].map(({ id }) => ({ key: `trial-started/${id}`, sign_up_id: id, ...dropped }));
  const messages = "SELECT key, sign_up_id, kind, state, drop_reason FROM outbox ORDER BY rowid";
  expect(api.rows(messages)).toEqual(held);
});
