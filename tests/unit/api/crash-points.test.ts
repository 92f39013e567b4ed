import { expect, test, vi } from "vitest";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { createSignUp } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import { advanceDue } from "../../../functions/subscription-api/sign-ups/due-sign-ups";
import { CHECK_RANKS, type SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { handleStripeEvent } from "../../../functions/subscription-api/sign-ups/stripe-event";
import { stopClock } from "../../support/api-in-process/clock";
import { look, signUpsInProcess } from "../../support/api-in-process/sign-ups";
import { cheapPasswords } from "../../support/cheap-passwords";
import { validRequest } from "../../support/visitors/visitor";

/* The process dies before each step of each way, and whoever asks next ends it as if nothing had happened. */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const DAY = 24 * 60 * 60_000;
stopClock(NOW);

type Api = ReturnType<typeof signUpsInProcess>;
type Ask = (api: Api, signUp: SignUp) => Promise<unknown>;
type Begin = (api: Api) => Promise<SignUp>;

const withCard =
  (columns?: string, others?: [email: string, card: string]): Begin =>
  async (api) => {
    if (others) await api.onTrial({ email: others[0] }, others[1]);
    const signUp = await api.pending({}, columns);
    api.enterCard(signUp);
    return signUp;
  };

const eventOf = (status: "card-set-up" | "card-declined"): Ask => {
  return ({ services }, { id: signUpId, stripe_setup_intent_id, stripe_customer_id }) => {
    const card = { signUpId, setupIntentId: stripe_setup_intent_id ?? "", customerId: stripe_customer_id ?? "" };
    return handleStripeEvent({ status, event: { id: "evt_1", type: status }, card }, services);
  };
};
const cron: Ask = async ({ services, rows }) => {
  rows("UPDATE sign_ups SET check_at = ? WHERE check_at IS NOT NULL", new Date().toISOString());
  for (const rank of Object.values(CHECK_RANKS)) await advanceDue(rank, services, () => true);
};
const notMe: Ask = async ({ services }, { id }) => {
  const signUp = await services.signUps.find(id);
  if (signUp) await advance(signUp, services, "not-me");
};
const post: Ask = async ({ services, rows }, { id }) => {
  const [row] = rows("SELECT idempotency_key FROM sign_ups WHERE id = ?", id);
  return createSignUp(validRequest, String(row?.idempotency_key), services);
};
const dayLater: Ask = (api, signUp) => {
  vi.setSystemTime(NOW + DAY);
  return cron(api, signUp);
};

/** `alone`: the cron handler ends it too, or it has not begun. */
const WAYS: [what: string, begin: Begin, ask: Ask, end: string, alone: boolean][] = [
  ["a form is sent", (api) => api.unknownToStripe(), post, "pending |  | form", false],
  [
    "a card is set up",
    withCard(),
    eventOf("card-set-up"),
    "trialing, claimed, trial of 5 days | account-created trial-ending trial-started | card, subscription trialing",
    true,
  ],
  [
    "a used card is set up",
    withCard(undefined, ["a@b.example", "a card"]),
    eventOf("card-set-up"),
    "pending, 1 used | card-used |",
    true,
  ],
  [
    "a card comes too late",
    withCard(undefined, [validRequest.email, "b"]),
    eventOf("card-set-up"),
    "ended, replaced |  | no customer",
    true,
  ],
  [
    "a fifth card is declined",
    (api) => api.pending({}, "declined_cards = 4"),
    eventOf("card-declined"),
    "ended, cards-failed, 5 declined |  | no customer",
    true,
  ],
  ["nobody enters a card", (api) => api.pending(), dayLater, "deleted |  | no customer", true],
  ["an open sign-up is reported", (api) => api.pending(), notMe, "ended, not-me |  | no customer", true],
  [
    "a trial is reported",
    (api) => api.onTrial({}, "a card"),
    notMe,
    "canceled, not-me, card claimed, trial of 5 days | account-closed account-created trial-ending trial-started | subscription canceled",
    false,
  ],
];

/** Runs a way, whose process is dead from one step on; then whoever asks next. */
async function live(begin: Begin, ask: Ask, diesBefore = Infinity, next: Ask = ask) {
  vi.setSystemTime(NOW);
  let [steps, isCounting] = [0, false];
  const step = () => {
    if (!isCounting) return;
    steps += 1;
    if (steps > diesBefore) throw new Error("The process is dead");
  };
  const api = signUpsInProcess({
    onePerPerson: true,
    io: async (_, effect) => {
      step();
      return effect();
    },
  });
  const made = await begin(api);
  const signUp = await api.change(made.id, `password_hash = '${await cheapPasswords.hash(validRequest.password)}'`);
  const before = look(api, signUp);
  api.instead.set("", () => {
    step();
    return undefined;
  });
  isCounting = true;
  await ask(api, signUp).catch(() => undefined);
  isCounting = false;
  if (diesBefore !== Infinity) await next(api, signUp);
  return { before, steps, end: look(api, signUp) };
}

const withoutTimes = (looked: string) => looked.replace(/, check in [\d.-]+ min/, "");

test.each(WAYS)(
  "%s: the process dies before any step, and the same question again ends it",
  async (_, begin, ask, end, alone) => {
    const whole = await live(begin, ask);
    expect(withoutTimes(whole.end)).toBe(end);
    expect(whole.steps).toBeGreaterThan(4);
    for (let at = 0; at <= whole.steps; at += 1) {
      expect((await live(begin, ask, at)).end, `dead before step ${at + 1}`).toBe(whole.end);
      if (!alone) continue;
      const after = await live(begin, ask, at, cron);
      const ends = [whole.before, whole.end].map(withoutTimes);
      expect(ends, `dead before step ${at + 1}, then the cron handler`).toContain(withoutTimes(after.end));
    }
  },
);
