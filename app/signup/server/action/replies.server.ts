import { type ActionFunctionArgs, data, redirect } from "@remix-run/cloudflare";
import type { Refusal } from "../../../pipeline/guard/refusals.server";
import { COOKIE_SET_FIELD } from "../../form-schema";
import type { SignupSession } from "../../session-state";
import type { SignupReply } from "../../steps";
import { type PostedFields, returned, shownTermsIn, validateOnServer } from "../form/posted-form.server";
import { COOKIE_MISSING, COOKIES_BLOCKED, noticeForRefusal, withoutPasswords } from "../notices.server";

export function reply(
  status: number,
  content: SignupReply,
  { context }: ActionFunctionArgs,
  headers: HeadersInit = {},
) {
  const { form, notice } = content;
  const shown = form && { shownTerms: shownTermsIn(form.initialValue ?? {}) };
  // A page without scripts loses the passwords.
  const isEmptied = form && notice && !context.route?.isData;
  const said = isEmptied ? { ...content, notice: withoutPasswords(notice) } : content;
  return data<SignupReply>({ ...said, ...shown }, { status, headers });
}

export async function seeOther(path: string, session: SignupSession, { context: { sessions } }: ActionFunctionArgs) {
  return redirect(path, { status: 303, headers: { "Set-Cookie": await sessions.write(session) } });
}

/** The form comes back without messages at its fields, because some may be missing. A button has no form. */
export function refuse(fields: PostedFields, problem: Refusal, posted: ActionFunctionArgs) {
  posted.context.log.add({ outcome: "refused", reason: problem.title });
  const isForm = fields.intent === undefined && Object.keys(fields).length > 0;
  const form = isForm ? { ...returned(validateOnServer(fields)), error: undefined } : undefined;
  return reply(problem.status, { notice: noticeForRefusal(problem), ...(form && { form }) }, posted, problem.headers);
}

/** Without a cookie, the sign-up would be lost. If the new cookie is missing too, the browser blocks cookies. */
export function replyWithoutCookie(fields: PostedFields, content: SignupReply, posted: ActionFunctionArgs) {
  const { headers } = posted.request;
  if (headers.get("Sec-Fetch-Site") !== "same-origin" || headers.has("Cookie")) return undefined;
  const notice = fields[COOKIE_SET_FIELD] === undefined ? COOKIE_MISSING : COOKIES_BLOCKED;
  const cookie = { "Set-Cookie": posted.context.sessions.newNonce() };
  return reply(422, { ...content, notice, isCookieSet: true }, posted, cookie);
}
