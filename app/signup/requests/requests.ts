import { replace } from "@remix-run/react";
import type { SignupReply, SignupStep } from "../steps";
import { sleep, TimeLimitExceeded, withTimeLimit } from "../timers";
import { lostStepNotice, NoData, unsentFormNotice } from "./failed-request";
import { awaitsOutcome, historyEntry, isReturn, lostStep, setLostStep, shownStep } from "./shown-step";

/** The pauses between three tries, so that a short outage goes unnoticed. A try without an answer is the last one. */
const PAUSES_MS = [500, 1_500];
/** Longer than the server's own deadlines for Stripe and the API by default. */
const LOADING_LIMIT_MS = 30_000;
/** The API may take long to create a sign-up. */
const SENDING_LIMIT_MS = 90_000;

let isBackground = false;
/** The URL that the page keeps while the router gives up a navigation. */
let staysAt: string | undefined;

/** The page changes only if the sign-up has: not if the site cannot be reached, and never by losing typed text. */
export function checkInBackground(revalidate: () => void): void {
  isBackground = true;
  revalidate();
}

/**
 * Loads a step. If the site cannot be reached, the page keeps its step and says so (`lostStep`):
 *
 * | asked for                                    | the page's URL | and then                              |
 * | -------------------------------------------- | -------------- | ------------------------------------- |
 * | a card's outcome: `?return=`, or the waiting | the new one    | asks again: `useStepChecks`           |
 * | another step, by a link or after a form      | stays          | the visitor tries again               |
 * | another step, by going back or forward       | comes back     | the visitor tries again               |
 * | the same step, in the background             | stays          | nothing; the page does not mention it |
 */
export async function loadStep<Step extends SignupStep>(
  ask: () => Promise<Step | null>,
  { url, signal }: Pick<Request, "url" | "signal">,
): Promise<SignupStep> {
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const shown = shownStep();
  if (shown && path === staysAt) {
    staysAt = undefined;
    return shown.step;
  }
  const isCheck = isBackground;
  isBackground = false;
  const isOutcome = isReturn(path) || (shown !== undefined && path === shown.path && awaitsOutcome(shown));
  // A new attempt takes the old notice away.
  if (!isCheck && !isOutcome) setLostStep(undefined);
  try {
    const step = await askThreeTimes(ask, signal);
    setLostStep(undefined);
    return isCheck && shown ? checked(shown.step, step) : step;
  } catch (thrown) {
    const notice = lostStepNotice(thrown);
    if (!shown || !notice || signal.aborted) throw thrown;
    if (isCheck) return shown.step;
    setLostStep({ notice, tries: (lostStep()?.tries ?? 0) + 1 });
    if (isOutcome) return shown.step;
    const wayBack = shown.entry - historyEntry();
    if (wayBack) return goTo(shown.path, wayBack);
    // The form changes the URL without the router when another plan is chosen.
    staysAt = location.pathname + location.search;
    throw replace(staysAt);
  }
}

/** After going back or forward in the history, returns to the page's own entry. The router drops what it was loading. */
function goTo(path: string, entries: number): Promise<never> {
  staysAt = path;
  history.go(entries);
  return new Promise(() => {});
}

async function askThreeTimes<Step>(ask: () => Promise<Step | null>, signal: AbortSignal): Promise<Step> {
  for (let tries = 0; ; tries += 1) {
    try {
      const step = await withTimeLimit(LOADING_LIMIT_MS, ask());
      if (step === null) throw new NoData();
      return step;
    } catch (thrown) {
      const pause = PAUSES_MS[tries];
      const isSlow = thrown instanceof TimeLimitExceeded;
      if (pause === undefined || isSlow || signal.aborted || !lostStepNotice(thrown)) throw thrown;
      await sleep(pause);
      if (signal.aborted) throw thrown;
    }
  }
}

/** The same object if the state is the same, so that nothing on the page changes. A form keeps everything typed. */
function checked(shown: SignupStep, found: SignupStep): SignupStep {
  if (shown.step !== "form") return identityOf(shown) === identityOf(found) ? shown : found;
  const openPlan = found.step === "form" ? found.openPlan : found.step === "card" ? found.packageId : undefined;
  return openPlan === shown.openPlan ? shown : { ...shown, openPlan };
}

function identityOf(step: SignupStep): string {
  return JSON.stringify(step, ["step", "clientSecret", "reason", "state", "key"]);
}

/** A failure keeps everything typed. Buttons post with a query, the sign-up's form without one. */
export async function sendForm(send: () => Promise<SignupReply | null>, url: string): Promise<SignupReply> {
  setLostStep(undefined);
  try {
    const reply = await withTimeLimit(new URL(url).search ? LOADING_LIMIT_MS : SENDING_LIMIT_MS, send());
    if (reply === null) throw new NoData();
    return reply;
  } catch (thrown) {
    const notice = unsentFormNotice(thrown);
    if (notice === undefined) throw thrown;
    return { notice };
  }
}
