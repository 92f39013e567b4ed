import { useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import type { SignupStep } from "../steps";
import { checkInBackground } from "./requests";
import { awaitsOutcome, historyEntry, lostStep, onLostStep, setShownStep } from "./shown-step";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Checks the step while the page waits for a card's outcome: every `refreshSeconds` of a waiting step, after growing pauses if the
 * site could not be reached, and at once when the connection is back. Also checks any step when the visitor comes back to the tab.
 */
export function useStepChecks(step: SignupStep) {
  const { pathname, search } = useLocation();
  const path = pathname + search;
  const lost = useSyncExternalStore(onLostStep, lostStep, () => undefined);
  const { state, revalidate } = useRevalidator();
  // Wait for a slow answer instead of asking again.
  const isIdle = useNavigation().state === "idle" && state === "idle";
  const isAwaited = awaitsOutcome({ step, path });
  const pauseMs =
    step.step === "waiting"
      ? step.refreshSeconds * 1000
      : Math.min(FIRST_PAUSE_MS * 2 ** ((lost?.tries ?? 1) - 1), LONGEST_PAUSE_MS);

  useLayoutEffect(() => setShownStep({ step, path, entry: historyEntry() }));
  useEffect(() => {
    if (!isAwaited || !isIdle) return;
    const timer = setInterval(revalidate, pauseMs);
    addEventListener("online", revalidate);
    return () => {
      clearInterval(timer);
      removeEventListener("online", revalidate);
    };
  }, [isAwaited, isIdle, pauseMs, revalidate]);
  useEffect(() => {
    if (!isIdle) return;
    const check = () => document.visibilityState === "visible" && checkInBackground(revalidate);
    document.addEventListener("visibilitychange", check);
    return () => document.removeEventListener("visibilitychange", check);
  }, [isIdle, revalidate]);
  return { lost, isAwaited };
}
