import { useActionData, useLocation, useNavigation } from "@remix-run/react";
import { useState } from "react";
import { type Notice, OUTCOME_UNREACHABLE } from "../notices";
import type { SignupReply } from "../steps";
import { type LostStep, lostStep } from "./shown-step";

/** The latest notice. Once it is removed, an earlier one does not come back. Notices are compared by identity. */
export function useLatest(notices: (Notice | undefined)[]): Notice | undefined {
  const [last, setLast] = useState({ notices, latest: notices.find((notice) => notice !== undefined) });
  if (notices.every((notice, index) => notice === last.notices[index])) return last.latest;
  const isNew = (notice: Notice | undefined, index: number) => notice !== undefined && notice !== last.notices[index];
  const latest = notices.find(isNew) ?? notices.find((notice) => notice === last.latest);
  setLast({ notices, latest });
  return latest;
}

/** The last reply, which the router drops when the page checks its step or does not reach another one. */
export function useReply(): SignupReply | undefined {
  const reply = useActionData<SignupReply>();
  const { key } = useLocation();
  const [kept, setKept] = useState({ reply, key });
  const isDropped = reply === undefined && (key === kept.key || lostStep() !== undefined);
  const current = isDropped ? kept.reply : reply;
  if (current !== kept.reply || key !== kept.key) setKept({ reply: current, key });
  return current;
}

export function useFailure(reply: SignupReply | undefined, lost: LostStep | undefined, isAwaited: boolean) {
  const latest = useLatest([reply?.notice, lost && (isAwaited ? OUTCOME_UNREACHABLE : lost.notice)]);
  return useNavigation().state === "idle" ? latest : undefined;
}
