import { type ActionFunctionArgs, data, redirect } from "@remix-run/cloudflare";
import type { Refusal } from "../../../pipeline/guard/refusals.server";
import type { SignupSession } from "../../session-state";
import type { SignupReply } from "../../steps";
import { type PostedFields, type ReceivedForm, returned, validateOnServer } from "../form/posted-form.server";
import { noticeForRefusal, withoutPasswords } from "../notices.server";

/* What the action answers, and when it cannot do what the visitor asked for. */

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

/** A form or button that is over the sender's limit or that `readForm` refuses. It is not validated. A button has no form. */
export function refuse(fields: PostedFields, problem: Refusal, posted: ActionFunctionArgs) {
  posted.context.log.add({ outcome: "refused", reason: problem.title });
  const form = fields.intent === undefined ? fields : {};
  return reply(problem.status, refused({ fields: form, problem }), posted, problem.headers);
}

/** The reply to a refused form, with its fields but without field messages, because some fields may be missing. */
export function refused({ fields, problem }: Required<ReceivedForm>): SignupReply {
  const notice = noticeForRefusal(problem);
  if (Object.keys(fields).length === 0) return { notice };
  return { notice, form: { ...returned(validateOnServer(fields)), error: undefined } };
}

/** True if a browser on the site's own page sends no cookie at all. It would lose its sign-up. */
export function blocksCookies({ headers }: Request): boolean {
  return headers.get("Sec-Fetch-Site") === "same-origin" && !headers.has("Cookie");
}
