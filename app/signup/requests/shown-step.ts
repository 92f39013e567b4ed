import type { Notice } from "../notices";
import type { SignupStep } from "../steps";

/* The step that the page shows, and the last failure to load one. Only in the browser. */

interface ShownStep {
  step: SignupStep;
  path: string;
  entry: number;
}

export interface LostStep {
  notice: Notice;
  /** How many times in a row the page has asked for it in vain. */
  tries: number;
}

/** React Router numbers the entries of the history. NaN for one that it does not know. */
export const historyEntry = () => Number(history.state?.idx);

let shown: ShownStep | undefined;
let lost: LostStep | undefined;
const listeners = new Set<() => void>();

export const shownStep = () => shown;

export function setShownStep(now: ShownStep): void {
  shown = now;
}

export const lostStep = () => lost;

export function setLostStep(now: LostStep | undefined): void {
  lost = now;
  for (const listener of listeners) listener();
}

export function onLostStep(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function awaitsOutcome({ step, path }: Pick<ShownStep, "step" | "path">): boolean {
  return step.step === "waiting" || (step.step === "card" && isReturn(path));
}

/** True for the URL at which the server decides the next step after a card: the bank returns there too. */
export function isReturn(path: string): boolean {
  return /[?&]return=/.test(path);
}
