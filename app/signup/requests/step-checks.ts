import { useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import type { SignupStep } from "../steps";
import { checkInBackground } from "./requests";
import { awaitsOutcome, historyEntry, isReturn, lostStep, onLostStep, setShownStep } from "./shown-step";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** Also checks when the connection or the visitor comes back. The pauses grow while the site cannot be reached. */
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

/** True after a card until the next step is there, also while the server cannot be reached or its answer leads to another URL. */
export function useIsReturning(): boolean {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  const [wasReturning, setReturning] = useState(false);
  const leads = next !== undefined && (wasReturning || isReturn(next.pathname + next.search));
  const isReturning = isReturn(pathname + search) || leads;
  if (wasReturning !== isReturning) setReturning(isReturning);
  return isReturning;
}
