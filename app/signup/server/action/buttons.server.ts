import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { packageIdOf } from "../../../contract/fields/package-id";
import { CONNECTION_FAILED } from "../../notices";
import { type CurrentSession, isInProgress } from "../../session-state";
import { ENDED, linkedSession } from "../current-step.server";
import { CARD_PROCESSING, COOKIES_BLOCKED, SIGNUP_FINISHED } from "../notices.server";
import { checkSession, withAgreedPrice } from "../session/check-session.server";
import { blocksCookies, reply, seeOther } from "./replies.server";

/** Empties the form. Changes no cookie if the page's sign-up is no longer the one in the cookie. */
export function startOver({ request, context: { sessions } }: ActionFunctionArgs, isOwn: boolean) {
  const headers = new Headers();
  if (isOwn) for (const cookie of [sessions.clear(), sessions.newNonce()]) headers.append("Set-Cookie", cookie);
  return redirect(new URL(request.url).pathname, { status: 303, headers });
}

/** Continues a link's sign-up if it still needs a card and no other sign-up is in progress in this browser. */
export async function resume(posted: ActionFunctionArgs, current: CurrentSession) {
  const { request, params, context } = posted;
  const url = new URL(request.url);
  const linked = await linkedSession(url, packageIdOf(request.url, params.id), context);
  // The page that the browser is sent to explains why.
  if (!linked || isInProgress(current, Date.now())) return redirect(url.pathname + url.search, 303);
  if (blocksCookies(request))
    return reply(422, { notice: COOKIES_BLOCKED }, posted, { "Set-Cookie": context.sessions.newNonce() });
  const priced = await withAgreedPrice(linked, context);
  if (!priced) return reply(503, { notice: CONNECTION_FAILED }, posted);
  const checked = await checkSession(priced, context);
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
