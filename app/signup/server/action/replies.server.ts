import { type ActionFunctionArgs, data, redirect } from "@remix-run/cloudflare";
import type { Refusal } from "../../../pipeline/guard/refusals.server";
import type { SignupSession } from "../../session-state";
import type { SignupReply } from "../../steps";
import { type PostedFields, returned, validateOnServer } from "../form/posted-form.server";
import { noticeForRefusal, withoutPasswords } from "../notices.server";

/* The action's answers. */

export function reply(
  status: number,
  content: SignupReply,
  { context }: ActionFunctionArgs,
  headers: HeadersInit = {},
) {
  const { form, notice } = content;
  // A page without scripts loses the passwords.
  const isEmptied = form && notice && !context.route?.isData;
  return data(isEmptied ? { ...content, notice: withoutPasswords(notice) } : content, { status, headers });
}

export async function seeOther(path: string, session: SignupSession, { context: { sessions } }: ActionFunctionArgs) {
  return redirect(path, { status: 303, headers: { "Set-Cookie": await sessions.write(session) } });
}

/**
 * Refuses a form or button unvalidated: it is over a limit, or `readForm` could not take it. The form comes back without messages at
 * its fields, because some may be missing. A button has no form.
 */
export function refuse(fields: PostedFields, problem: Refusal, posted: ActionFunctionArgs) {
  posted.context.log.add({ outcome: "refused", reason: problem.title });
  const isForm = fields.intent === undefined && Object.keys(fields).length > 0;
  const form = isForm ? { ...returned(validateOnServer(fields)), error: undefined } : undefined;
  return reply(problem.status, { notice: noticeForRefusal(problem), ...(form && { form }) }, posted, problem.headers);
}

/** True if a browser on the site's own page sends no cookie at all. It would lose its sign-up. */
export function blocksCookies({ headers }: Request): boolean {
  return headers.get("Sec-Fetch-Site") === "same-origin" && !headers.has("Cookie");
}
