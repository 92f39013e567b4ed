import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { packageIdOf } from "../../../contract/fields/package-id";
import { signUpPath } from "../../../contract/sign-up-path";
import { CONNECTION_FAILED } from "../../notices";
import { type CurrentSession, isSession, isSessionOf, isUnfinished, withSentCard } from "../../session-state";
import { ENDED, linkedSession } from "../current-step.server";
import type { PostedFields } from "../form/posted-form.server";
import { CARD_PROCESSING, SIGNUP_FINISHED } from "../notices.server";
import { checkSession, endSession, hasCard } from "../session/check-session.server";
import { reply, replyWithoutCookie, seeOther } from "./replies.server";

/** Empties the form, unless a card is set up. Changes no cookie if the page's sign-up is no longer the one in the cookie. */
export async function startOver(posted: ActionFunctionArgs, current: CurrentSession, key: string | undefined) {
  const { sessions } = posted.context;
  const headers = new Headers();
  if (isSessionOf(current, key) || !isSession(current)) {
    const outcome = await endSession(current, posted.context);
    if (hasCard(outcome)) return seeOther(signUpPath(outcome.packageId), outcome, posted);
    for (const cookie of [sessions.clear(), sessions.newNonce()]) headers.append("Set-Cookie", cookie);
  }
  return redirect(new URL(posted.request.url).pathname, { status: 303, headers });
}

export async function resume(fields: PostedFields, current: CurrentSession, posted: ActionFunctionArgs) {
  const { request, params, context } = posted;
  const url = new URL(request.url);
  const linked = await linkedSession(url, packageIdOf(request.url, params.id), context);
  // The page that the browser is sent to explains why.
  const isBusy = isUnfinished(current) && isUnfinished(await checkSession(current, context));
  if (!linked || isBusy) return redirect(url.pathname + url.search, 303);
  const withoutCookie = replyWithoutCookie(fields, {}, posted);
  if (withoutCookie) return withoutCookie;
  const checked = await checkSession(withSentCard(linked), context);
  switch (checked.state) {
    case "card": {
      // The notices are about another device, so leave them out.
      const { flash, message: _, ...session } = checked;
      return seeOther(url.pathname, { ...session, flash: flash === "declined" ? undefined : flash }, posted);
    }
    case "waiting":
      if (checked.reason === "unreachable") return reply(503, { notice: CONNECTION_FAILED }, posted);
      return reply(409, { notice: CARD_PROCESSING }, posted);
    case "ended":
      return reply(409, { notice: ENDED[checked.why], isOver: true }, posted);
    case "done":
      return reply(409, { notice: SIGNUP_FINISHED, isOver: true }, posted);
  }
}
