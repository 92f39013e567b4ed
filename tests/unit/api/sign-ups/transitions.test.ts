import { expect, test } from "vitest";
import { stopClock } from "../../../support/clock";
import { look, signUpsInProcess } from "./sign-ups";
import { type Begin, type Pull, SITUATIONS, TRIGGERS } from "./situations";

/* The diagram of sign-ups/advance.ts, cell by cell: a sign-up as it stands here and at Stripe × who asks. */

stopClock();
const TEN_MINUTES_AGO = "2026-11-22T11:50:00.000Z";

/** Each trigger is pulled twice: a repetition changes nothing more. */
async function after(begin: Begin, pull: Pull): Promise<string> {
  const api = signUpsInProcess({ onePerPerson: true });
  const bystander = await api.pending({ email: "by@stander.example" });
  const { id } = await begin(api);
  const signUp = await api.change(id, `created_at = min(created_at, '${TEN_MINUTES_AGO}')`);
  const before = look(api, signUp);
  for (let times = 0; times < 2; times += 1) {
    const current = await api.services.signUps.find(id);
    if (current) await pull(api, current);
  }
  expect(await api.find(bystander.id)).toEqual(bystander);
  const then = look(api, signUp);
  return then === before ? "stays" : then;
}

const STARTED = "trial of 5 days, check in 7260 min | account-created trial-ending trial-started";
const CLOSED = "trial of 5 days | account-closed account-created trial-ending trial-started";
/**
 * The outcome of each trigger: the sign-up | its messages | what is at Stripe. A trigger without a line changes nothing.
 * "claimed": the address and the card have had their trial. "anybody": all but a declined event and "not me".
 */
const GRID = `
any pending
  not me → ended, not-me, check in 1440 min |  | no customer
any trialing; any active; any past_due
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed | subscription canceled
pending, nothing
  POST → pending, check in 10 min |  | form
  cron → pending, check in 20 min |  |
  not me → ended, not-me, check in 0 min |  |
pending, a card's form
  declined event → pending, 1 declined, check in 10 min |  | form
  cron → pending, check in 20 min |  | form
pending for a day, a card's form
  anybody → deleted |  | no customer
  declined event → pending, 1 declined, check in 10 min |  | form
pending, a canceled form
  anybody → deleted |  | no customer
  declined event → pending, 1 declined, check in 10 min |  |
pending, a card
  anybody → trialing, claimed, ${STARTED} | card, subscription trialing
  declined event → pending, 1 declined, check in 10 min |  | card
pending without a plan, a card
  anybody → trialing, claimed, trial of 5 days, check in 7260 min | account-created trial-started | card
  declined event → pending, 1 declined, check in 10 min |  | card
pending, a card that had a trial
  POST, status → pending, 1 used, check in 10 min | card-used | form
  card event, subscription event → pending, 1 used, check in 10 min | card-used |
  declined event → pending, 1 declined, check in 10 min |  | card
  cron → pending, 1 used, check in 20 min | card-used |
pending, a card of an address that had a trial
  status, card event, subscription event, cron → ended, replaced, check in 1440 min |  | no customer
  declined event → pending, 1 declined, check in 10 min |  | card
pending after four declined cards, a card's form
  declined event → ended, cards-failed, 5 declined, check in 1440 min |  | no customer
  cron → pending, 4 declined, check in 20 min |  | form
  not me → ended, not-me, 4 declined, check in 1440 min |  | no customer
pending after five declined cards, a card
  anybody → ended, cards-failed, 5 declined, check in 1440 min |  | no customer
  declined event → ended, cards-failed, 6 declined, check in 1440 min |  | no customer
  not me → ended, not-me, 5 declined, check in 1440 min |  | no customer
pending, somebody else's card; pending, another customer's card
  declined event → pending, 1 declined, check in 10 min |  | card
  cron → pending, check in 20 min |  | card
card_set_up, a card; card_set_up, a subscription
  anybody → trialing, ${STARTED} | card, subscription trialing
  not me → canceled, not-me, ${CLOSED} | subscription canceled
ended, a card's form; ended, a card
  card event, subscription event, cron, not me → ended, cards-failed, check in 1440 min |  | no customer
trialing, trialing
trialing, canceled for later
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
trialing with a confirmed address, trialing
  not me → canceled, not-me, claimed, trial of 5 days | account-closed not-me-reported | subscription canceled
trialing, active; past_due, active; trialing without a plan, active
  subscription event, cron → active, claimed, trial of 5 days |  | card, subscription active
trialing, past_due; active, past_due
  subscription event, cron → past_due, claimed, trial of 5 days |  | card, subscription past_due
trialing, canceled; active, canceled
  subscription event, cron → canceled, claimed, trial of 5 days |  | card, subscription canceled
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
trialing, gone
  cron → canceled, claimed, trial of 5 days |  | card
  not me → canceled, not-me, claimed, trial of 5 days | account-closed |
trialing without a plan, nothing
  not me → canceled, not-me, card claimed, trial of 5 days | account-closed |
active, paid
  cron → active, claimed, trial of 5 days |  | card, subscription active
  not me → canceled, not-me, claimed, trial of 5 days | account-closed not-me-reported | subscription canceled
past_due, unpaid
  cron → past_due, claimed, trial of 5 days |  | card, subscription unpaid
canceled, canceled
  cron → canceled, claimed, trial of 5 days |  | card, subscription canceled
  not me → canceled, not-me, claimed, trial of 5 days | account-closed | subscription canceled
`;

const ANYBODY = "POST, status, card event, subscription event, cron";
const drawn = new Map<string, string>();
let names: string[] = [];
for (const line of GRID.trim().split("\n")) {
  const [before = "", outcome] = line.trim().split(" → ");
  const triggers = before.replace("anybody", ANYBODY).split(", ");
  if (outcome === undefined) names = before.split("; ");
  else for (const name of names) for (const trigger of triggers) drawn.set(`${name}: ${trigger}`, outcome);
}

test.each(Object.entries(SITUATIONS))(
  "a sign-up that is %s: each trigger leads where the diagram says",
  async (name, begin) => {
    for (const [trigger, pull] of Object.entries(TRIGGERS)) {
      const [status] = name.split(/[ ,]/);
      const wanted = drawn.get(`${name}: ${trigger}`) ?? drawn.get(`any ${status}: ${trigger}`) ?? "stays";
      expect(await after(begin, pull), trigger).toBe(wanted);
    }
  },
);
