import { expect, test } from "vitest";
import {
  nextState,
  type SetupIntentAnswer,
  type SignupSession,
  type TrialAnswer,
} from "../../../app/signup/session-state";
import { NOW } from "../../support/clock";
import { OTHER_TERMS, SESSIONS } from "./sessions";

/* The next state of a sign-up after Stripe and the API have answered: each row of the table at `nextState`. */

const replaced = { clientSecret: "seti_0_secret_0", packageId: "" };
const card = { ...SESSIONS.card, flash: "saved", replaced } as const;
const waiting = { ...SESSIONS.waiting, replaced };
const { key, requestId, packageId, terms, details, clientSecret, statusUrl } = card;

const PROCESSING: SetupIntentAnswer = { status: "processing" };
const OPEN: SetupIntentAnswer = { status: "open", message: "Insufficient funds" };
const SUCCEEDED: SetupIntentAnswer = { status: "succeeded", card: { brand: "visa", last4: "4242" } };
const UNREACHABLE = { status: "unreachable" } as const;
const UNKNOWN = { status: "unknown" } as const;
const TRIAL_END = "2026-11-27T12:00:00.000Z";
const TRIAL: TrialAnswer = { status: "trial", trial_end: TRIAL_END };
const CANCELED: SetupIntentAnswer = { status: "canceled" };
const PENDING: TrialAnswer = { status: "pending" };
const ENDED: TrialAnswer = { status: "ended" };
const usedCard = (client_secret: string): TrialAnswer => ({ status: "card_used", client_secret });

const DECLINED = "card, declined, Insufficient funds";
const WAITS = "waiting, unreachable";
const DONE = "done, saved, 2026-11-22T12:00:00.000Z";
const AS_IT_WAS = "card, saved";

/** A state as a failure shows it, in one line, without the client secret that it had before. */
function inWords(session: SignupSession): string {
  const shown = { ...session, ...("card" in session && session.card) };
  const flags = ["state", "flash", "message", "reason", "why"];
  const names = [...flags, "startedAt", "trialEnd", "brand", "last4", "clientSecret"];
  const words = names.flatMap((name) => Reflect.get(shown, name) ?? []);
  return words.filter((word) => word !== clientSecret).join(", ");
}

/** `card`: if no card was sent from this page; `past`: past its time; both are as `becomes` by default. */
test.each([
  { when: "Stripe is processing the card", stripe: PROCESSING, becomes: "waiting, processing" },
  { when: "Stripe cannot be reached", stripe: UNREACHABLE, becomes: WAITS, card: AS_IT_WAS, past: WAITS },
  { when: "the card was declined", stripe: OPEN, becomes: DECLINED, card: AS_IT_WAS, past: "ended, expired" },
  { when: "no card was set up, but the trial has started", stripe: OPEN, api: TRIAL, becomes: `${DONE}, ${TRIAL_END}` },
  { when: "no card was set up, and the API has ended it", stripe: OPEN, api: ENDED, becomes: "ended, canceled" },
  { when: "Stripe does not know the secret", stripe: UNKNOWN, becomes: "card, unknown", past: "ended, too old" },
  { when: "the setup was canceled", stripe: CANCELED, becomes: "ended, canceled" },
  { when: "the trial has started", stripe: SUCCEEDED, api: TRIAL, becomes: `${DONE}, ${TRIAL_END}, visa, 4242` },
  { when: "the API offers no status", stripe: SUCCEEDED, becomes: `${DONE}, visa, 4242` },
  { when: "the card had a trial", stripe: SUCCEEDED, api: usedCard("another"), becomes: "card, card used, another" },
  { when: "a used card has no new secret yet", stripe: SUCCEEDED, api: usedCard(clientSecret), becomes: WAITS },
  { when: "the API does not know it", stripe: SUCCEEDED, api: UNKNOWN, becomes: WAITS, past: "ended, too old" },
  { when: "the trial has not started yet", stripe: SUCCEEDED, api: PENDING, becomes: WAITS },
])("when $when: $becomes", ({ stripe, api, becomes, card: ofCard = becomes, past = becomes }) => {
  const after = {
    waiting: nextState({ ...waiting, expiresAt: NOW + 1 }, stripe, api, NOW),
    card: nextState({ ...card, expiresAt: NOW + 1 }, stripe, api, NOW),
    waitingPast: nextState({ ...waiting, expiresAt: NOW }, stripe, api, NOW),
    cardPast: nextState({ ...card, expiresAt: NOW }, stripe, api, NOW),
  };
  const words = Object.fromEntries(Object.entries(after).map(([name, session]) => [name, inWords(session)]));
  expect(words).toEqual({ waiting: becomes, card: ofCard, waitingPast: past, cardPast: past });
  for (const session of Object.values(after)) {
    expect(session).toMatchObject({ key, requestId, packageId, terms, details, replaced });
    if (session.state === "card" || session.state === "waiting") expect(session).toMatchObject({ statusUrl });
  }
});

test("a sign-up has the terms that the API says, and otherwise stays the same object", () => {
  const said: TrialAnswer = { ...TRIAL, ...OTHER_TERMS, currency: "usd" };
  expect(nextState(waiting, SUCCEEDED, said, NOW)).toMatchObject({ state: "done", terms: OTHER_TERMS });
  expect(nextState(card, OPEN, undefined, NOW)).toBe(card);
});

test.each([
  { sells: "a plan whose price nobody knows waits for the API", of: {}, api: UNREACHABLE, becomes: WAITS },
  { sells: "no plan does not wait for a price", of: { packageId: "" }, api: UNREACHABLE, becomes: DECLINED },
  { sells: "a plan of a known price does not wait", of: { terms }, api: UNREACHABLE, becomes: DECLINED },
  { sells: "a plan whose price the API can say does not wait", of: {}, api: PENDING, becomes: DECLINED },
] as const)("after a declined card, a sign-up with $sells", ({ of, api, becomes }) => {
  const unpriced = { ...terms, price_cents: undefined };
  expect(inWords(nextState({ ...waiting, terms: unpriced, ...of }, OPEN, api, NOW))).toBe(becomes);
});
