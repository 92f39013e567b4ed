import { expect, test } from "vitest";
import {
  nextState,
  type SetupIntentAnswer,
  type SignupSession,
  type TrialAnswer,
} from "../../../app/signup/session-state";
import { NOW } from "../../support/clock";
import { SESSIONS } from "./sessions";

/* The next state of a sign-up after Stripe and the API have answered: each row of the table at `nextState`. */

const { card } = SESSIONS;
const { state: _, clientSecret, statusUrl, ...form } = card;
const pending = { ...form, clientSecret, statusUrl };

const SUCCEEDED: SetupIntentAnswer = { status: "succeeded", card: { brand: "visa", last4: "4242" } };
const DONE: SignupSession = {
  ...form,
  state: "done",
  startedAt: new Date(NOW).toISOString(),
  trialEnd: "2026-11-27T12:00:00.000Z",
  card: { brand: "visa", last4: "4242" },
  flash: "saved",
};
const WAITING: SignupSession = { ...pending, state: "waiting", reason: "unreachable" };
const DECLINED: SignupSession = { ...pending, state: "card", flash: "declined", message: "Insufficient funds" };
const CARD_USED: SignupSession = { ...pending, clientSecret: "seti_2_secret_2", state: "card", flash: "card used" };
const CANCELED: SignupSession = { ...form, state: "ended", why: "canceled" };
const TOO_OLD: SignupSession = { ...form, state: "ended", why: "too old" };

interface Row {
  when: string;
  stripe: SetupIntentAnswer;
  api?: TrialAnswer;
  becomes: SignupSession;
  /** The same by default. */
  pastItsTime?: SignupSession;
}

const ROWS: Row[] = [
  {
    when: "Stripe is processing the card: it waits",
    stripe: { status: "processing" },
    becomes: { ...WAITING, reason: "processing" },
  },
  {
    when: "Stripe cannot be reached: it waits",
    stripe: { status: "unreachable" },
    becomes: WAITING,
  },
  {
    when: "the card was declined: it needs another, or has expired",
    stripe: { status: "open", message: "Insufficient funds" },
    becomes: DECLINED,
    pastItsTime: { ...form, state: "ended", why: "expired" },
  },
  {
    when: "Stripe does not know the secret: its card step says so, or it is too old",
    stripe: { status: "unknown" },
    becomes: { ...pending, state: "card", flash: "unknown" },
    pastItsTime: TOO_OLD,
  },
  {
    when: "the setup was canceled: it has ended",
    stripe: { status: "canceled" },
    becomes: CANCELED,
  },
  {
    when: "the trial has started: it is done",
    stripe: SUCCEEDED,
    api: { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" },
    becomes: DONE,
  },
  {
    when: "the trial has started at another price than the site knows: it is done, at the API's",
    stripe: SUCCEEDED,
    api: { status: "trial", trial_end: "2026-11-27T12:00:00.000Z", price_cents: 60_000, currency: "usd" },
    becomes: { ...DONE, agreedPriceCents: 60_000 },
  },
  {
    when: "the card is set up and the API offers no status: it is done",
    stripe: SUCCEEDED,
    becomes: { ...DONE, trialEnd: undefined },
  },
  {
    when: "the card had a trial before: it needs another, under the API's new secret",
    stripe: SUCCEEDED,
    api: { status: "card_used", client_secret: "seti_2_secret_2" },
    becomes: CARD_USED,
  },
  {
    when: "the card had a trial before, but the API has no new secret yet: it waits",
    stripe: SUCCEEDED,
    api: { status: "card_used", client_secret: clientSecret },
    becomes: WAITING,
  },
  {
    when: "the API has ended it: it has ended",
    stripe: SUCCEEDED,
    api: { status: "ended" },
    becomes: CANCELED,
  },
  {
    when: "the API does not know it: it waits, or is too old",
    stripe: SUCCEEDED,
    api: { status: "unknown" },
    becomes: WAITING,
    pastItsTime: TOO_OLD,
  },
  {
    when: "the API has not started the trial yet: it waits",
    stripe: SUCCEEDED,
    api: { status: "pending" },
    becomes: WAITING,
  },
  {
    when: "the API cannot be reached: it waits",
    stripe: SUCCEEDED,
    api: { status: "unreachable" },
    becomes: WAITING,
  },
];

test.each(ROWS)("a sign-up in time, when $when", ({ stripe, api, becomes }) => {
  expect(nextState({ ...pending, expiresAt: NOW + 1 }, stripe, api, NOW)).toEqual({ ...becomes, expiresAt: NOW + 1 });
});

test.each(ROWS)("a sign-up past its time, when $when", ({ stripe, api, becomes, pastItsTime = becomes }) => {
  expect(nextState({ ...pending, expiresAt: NOW }, stripe, api, NOW)).toEqual({ ...pastItsTime, expiresAt: NOW });
});

test("a notice that the card's page showed once is not in the next state", () => {
  const shown = { ...card, flash: "declined", message: "Insufficient funds" } as const;
  expect(nextState(shown, { status: "processing" }, undefined, NOW)).toEqual({ ...WAITING, reason: "processing" });
});
