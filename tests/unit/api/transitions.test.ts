import { expect, test } from "vitest";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { createSignUp } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { signUpStatus } from "../../../functions/subscription-api/sign-ups/sign-up-status";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { stopClock } from "../../support/api-in-process/clock";
import { look, signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { cheapPasswords } from "../../support/cheap-passwords";
import { validRequest } from "../../support/visitors/visitor";

/* The diagram of functions/subscription-api/sign-ups/advance.ts, cell by cell: a sign-up as it stands here and at Stripe × who asks. */

stopClock(Date.parse("2026-11-22T12:00:00.000Z"));
const TEN_MINUTES_AGO = "2026-11-22T11:50:00.000Z";

type Api = ReturnType<typeof signUpsInProcess>;

const WITHOUT_PLAN = "package_id = NULL";

/** Before its trial, with the form for a card, which is then filled in or changed by Stripe. */
const atCard =
  (columns: string | undefined, enter?: string, change: object = {}, others?: [email: string, card: string]) =>
  async (api: Api): Promise<SignUp> => {
    if (others) await api.onTrial({ email: others[0] }, others[1]);
    const signUp = await api.pending({}, columns);
    if (enter) api.enterCard(signUp, enter);
    Object.assign(api.model.get(signUp.stripe_setup_intent_id) ?? {}, change);
    return signUp;
  };

/** On trial, until its subscription at Stripe has this status. */
const onTrial =
  (row: string, atStripe: string) =>
  async (api: Api): Promise<SignUp> => {
    const { id, stripe_subscription_id } = await api.onTrial({}, "a card");
    api.rows("DELETE FROM outbox");
    const subscription = api.model.get(stripe_subscription_id);
    if (subscription) subscription.status = atStripe;
    if (atStripe === "gone") api.model.objects.delete(stripe_subscription_id ?? "");
    return api.change(id, `status = '${row}'`);
  };

async function withoutPlan(api: Api): Promise<SignUp> {
  const { id } = await atCard(WITHOUT_PLAN, "a card")(api);
  await signUpStatus(id, api.services);
  api.rows("DELETE FROM outbox");
  return api.find(id);
}

/** The sign-up's own subscription, or one that sales made. */
async function subscribe({ services, model }: Api, signUp: SignUp, id = signUp.id, status = "trialing"): Promise<void> {
  const choice = { customerId: signUp.stripe_customer_id ?? "", priceId: "price_standard" };
  const made = await services.payments.findOrCreateSubscription({ ...signUp, id }, choice);
  Object.assign(model.get(made.stripeSubscriptionId) ?? {}, { status });
}

/** By "here, at Stripe". */
const SETUPS: Record<string, (api: Api) => Promise<SignUp>> = {
  "pending, nothing": (api) => api.unknownToStripe(),
  "pending, a card's form": atCard(undefined),
  "pending, a canceled form": atCard(undefined, undefined, { status: "canceled" }),
  "pending, a card": atCard(undefined, "a card"),
  "pending without a plan, a card": atCard(WITHOUT_PLAN, "a card"),
  "pending, a card that had a trial": atCard(undefined, "used", {}, ["somebody@else.example", "used"]),
  "pending, a card of an address that had a trial": atCard(undefined, "a card", {}, [validRequest.email, "another"]),
  "pending after five declined cards, a card": atCard("declined_cards = 5", "a card"),
  "pending, somebody else's card": atCard(undefined, "a card", { metadata: { sign_up_id: "another" } }),
  "card_set_up, a card": atCard("status = 'card_set_up'", "a card"),
  "card_set_up, a subscription": async (api) => {
    const signUp = await atCard("status = 'card_set_up'", "a card")(api);
    await subscribe(api, signUp);
    return signUp;
  },
  "ended, a card's form": atCard("status = 'ended', end_reason = 'cards-failed'"),
  "ended, a card": atCard("status = 'ended', end_reason = 'replaced'", "a card"),
  "trialing, trialing": onTrial("trialing", "trialing"),
  "trialing, active": onTrial("trialing", "active"),
  "trialing, past_due": onTrial("trialing", "past_due"),
  "trialing, canceled": onTrial("trialing", "canceled"),
  "trialing, gone": onTrial("trialing", "gone"),
  "trialing without a plan, nothing": withoutPlan,
  "trialing without a plan, active": async (api) => {
    const signUp = await withoutPlan(api);
    await subscribe(api, signUp, "sales", "active");
    return signUp;
  },
  "active, active": onTrial("active", "active"),
  "active, past_due": onTrial("active", "past_due"),
  "active, canceled": onTrial("active", "canceled"),
  "past_due, active": onTrial("past_due", "active"),
  "past_due, unpaid": onTrial("past_due", "unpaid"),
  "canceled, canceled": onTrial("canceled", "canceled"),
};

const event = (type: string) => ({ id: `evt_${type}`, type });

/** Each is pulled twice: a repetition changes nothing more. */
const TRIGGERS: Record<string, (api: Api, signUp: SignUp) => Promise<unknown>> = {
  POST: async ({ services, rows }, { id, package_id }) => {
    const [row] = rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id);
    const request = { ...validRequest, package_id: package_id ?? undefined };
    return createSignUp(request, String(row?.idempotency_key), services);
  },
  status: ({ services }, { id }) => signUpStatus(id, services),
  "card event": ({ services }, { id, stripe_setup_intent_id, stripe_customer_id }) => {
    const card = { signUpId: id, setupIntentId: stripe_setup_intent_id ?? "", customerId: stripe_customer_id ?? "" };
    return handleStripeEvent({ status: "card-set-up", event: event("setup_intent.succeeded"), card }, services);
  },
  "declined event": ({ services }, { id, stripe_setup_intent_id, stripe_customer_id }) => {
    const card = { signUpId: id, setupIntentId: stripe_setup_intent_id ?? "", customerId: stripe_customer_id ?? "" };
    return handleStripeEvent({ status: "card-declined", event: event("setup_intent.setup_failed"), card }, services);
  },
  "subscription event": ({ services, model }, { stripe_customer_id: customerId }) => {
    const [found] = customerId === null ? [] : model.all("subscription", customerId);
    const changed = { stripeSubscriptionId: found?.id ?? "sub_none", customerId: customerId ?? "cus_none" };
    const received = { status: "subscription-changed" as const, event: event("customer.subscription.updated") };
    return handleStripeEvent({ ...received, ...changed }, services);
  },
  cron: async ({ services, rows }, { id }) => {
    rows("UPDATE sign_ups SET check_at = ? WHERE id = ?", new Date().toISOString(), id);
    for (const rank of Object.values(CHECK_RANKS)) await advanceDue(rank, services, () => true);
  },
  "not me": ({ services }, signUp) => advance(signUp, services, "not-me"),
};

async function after(setup: string, trigger: string): Promise<string> {
  const api = signUpsInProcess({ onePerPerson: true });
  const bystander = await api.pending({ email: "by@stander.example" });
  const made = await SETUPS[setup]?.(api);
  if (!made) throw new Error(`There is no setup ${setup}`);
  const hash = await cheapPasswords.hash(validRequest.password);
  const signUp = await api.change(made.id, `password_hash = '${hash}', created_at = '${TEN_MINUTES_AGO}'`);
  const before = look(api, signUp);
  for (let times = 0; times < 2; times += 1) {
    const current = await api.services.signUps.find(signUp.id);
    if (current) await TRIGGERS[trigger]?.(api, current);
  }
  expect(await api.find(bystander.id)).toEqual(bystander);
  const then = look(api, signUp);
  return then === before ? "stays" : then;
}

/**
 * The outcome of each trigger: the sign-up | its messages | what is at Stripe; a trigger that is not named changes nothing.
 * "claimed": the address and the card have had their trial.
 */
const GRID = `
pending, nothing
  POST → pending, check in 10 min |  | form
  cron → pending, check in 20 min |  |
  not me → ended, not-me, check in 0 min |  |
pending, a card's form
  declined event → pending, 1 declined, check in 10 min |  | form
  cron → pending, check in 20 min |  | form
  not me → ended, not-me, check in 1440 min |  | no customer
pending, a canceled form
  POST, status, card event, subscription event, cron → deleted |  | no customer
  declined event → pending, 1 declined, check in 10 min |  |
  not me → ended, not-me, check in 1440 min |  | no customer
pending, a card
  POST, status, card event, subscription event, cron → trialing, claimed, trial of 5 days, check in 7260 min | account-created trial-ending trial-started | card, subscription trialing
  declined event → pending, 1 declined, check in 10 min |  | card
  not me → ended, not-me, check in 1440 min |  | no customer
pending without a plan, a card
  POST, status, card event, subscription event, cron → trialing, claimed, trial of 5 days, check in 7260 min | account-created trial-started | card
  declined event → pending, 1 declined, check in 10 min |  | card
  not me → ended, not-me, check in 1440 min |  | no customer
pending, a card that had a trial
  POST, status → pending, 1 used, check in 10 min | card-used | form
  card event, subscription event → pending, 1 used, check in 10 min | card-used |
  declined event → pending, 1 declined, check in 10 min |  | card
  cron → pending, 1 used, check in 20 min | card-used |
  not me → ended, not-me, check in 1440 min |  | no customer
pending, a card of an address that had a trial
  status, card event, subscription event, cron → ended, replaced, check in 1440 min |  | no customer
  declined event → pending, 1 declined, check in 10 min |  | card
  not me → ended, not-me, check in 1440 min |  | no customer
pending after five declined cards, a card
  POST, status, card event, subscription event, cron → ended, cards-failed, 5 declined, check in 1440 min |  | no customer
  declined event → ended, cards-failed, 6 declined, check in 1440 min |  | no customer
  not me → ended, not-me, 5 declined, check in 1440 min |  | no customer
pending, somebody else's card
  declined event → pending, 1 declined, check in 10 min |  | card
  cron → pending, check in 20 min |  | card
  not me → ended, not-me, check in 1440 min |  | no customer
card_set_up, a card
  POST, status, card event, subscription event, cron → trialing, trial of 5 days, check in 7260 min | account-created trial-ending trial-started | card, subscription trialing
  not me → canceled, not-me, trial of 5 days | account-closed account-created trial-ending trial-started | subscription canceled
card_set_up, a subscription
  POST, status, card event, subscription event, cron → trialing, trial of 5 days, check in 7260 min | account-created trial-ending trial-started | card, subscription trialing
  not me → canceled, not-me, trial of 5 days | account-closed account-created trial-ending trial-started | subscription canceled
ended, a card's form
  card event, subscription event, cron, not me → ended, cards-failed, check in 1440 min |  | no customer
ended, a card
  card event, subscription event, cron, not me → ended, replaced, check in 1440 min |  | no customer
trialing, trialing
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
trialing, active
  subscription event, cron → active, claimed, trial of 5 days |  | card, subscription active
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
trialing, past_due
  subscription event, cron → past_due, claimed, trial of 5 days |  | card, subscription past_due
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
trialing, canceled
  subscription event, cron → canceled, claimed, trial of 5 days |  | card, subscription canceled
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
trialing, gone
  cron → canceled, claimed, trial of 5 days |  | card
  not me → canceled, not-me, claimed, trial of 5 days | account-closed |
trialing without a plan, nothing
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed |
trialing without a plan, active
  subscription event, cron → active, claimed, trial of 5 days |  | card, subscription active
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
active, active
  cron → active, claimed, trial of 5 days |  | card, subscription active
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
active, past_due
  subscription event, cron → past_due, claimed, trial of 5 days |  | card, subscription past_due
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
active, canceled
  subscription event, cron → canceled, claimed, trial of 5 days |  | card, subscription canceled
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
past_due, active
  subscription event, cron → active, claimed, trial of 5 days |  | card, subscription active
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
past_due, unpaid
  cron → past_due, claimed, trial of 5 days |  | card, subscription unpaid
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
canceled, canceled
  cron → canceled, claimed, trial of 5 days |  | card, subscription canceled
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
`;

const cells = new Map<string, string[]>();
for (const line of GRID.trim().split("\n")) {
  if (line.startsWith("  ")) [...cells.values()].at(-1)?.push(line.trim());
  else cells.set(line, []);
}

test.each(Object.keys(SETUPS))("a sign-up that is %s: each trigger leads where the diagram says", async (setup) => {
  const byOutcome = new Map<string, string[]>();
  for (const trigger of Object.keys(TRIGGERS)) {
    const outcome = await after(setup, trigger);
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), trigger]);
  }
  byOutcome.delete("stays");
  expect([...byOutcome].map(([outcome, triggers]) => `${triggers.join(", ")} → ${outcome}`)).toEqual(cells.get(setup));
});

test("the grid has each setup", () => {
  expect([...cells.keys()]).toEqual(Object.keys(SETUPS));
});
