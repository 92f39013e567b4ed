import type { Submission } from "@conform-to/react";
import { SECRET_FIELDS, type SignupForm } from "../../form-schema";
import type { SignupReply } from "../../steps";
import { noticeForRefusal } from "../notices.server";
import { type ReceivedForm, validateOnServer } from "./posted-form.server";

/** Longer than any real value. A returned value appears three times on the page. */
const MAX_RETURNED_LENGTH = 3000;

/** The posted form as the page shows it again, without the passwords. */
export function returned(submission: Submission<SignupForm, string[]>) {
  const reply = submission.reply({ hideFields: SECRET_FIELDS });
  const values = Object.entries(reply.initialValue ?? {}).map(([name, value]) => {
    return [name, typeof value === "string" ? value.slice(0, MAX_RETURNED_LENGTH) : value] as const;
  });
  return { ...reply, initialValue: Object.fromEntries(values) };
}

/** The reply to a refused form, with its fields but without field messages, because some fields may be missing. */
export function refused({ fields, problem }: Required<ReceivedForm>): SignupReply {
  const notice = noticeForRefusal(problem);
  if (Object.keys(fields).length === 0) return { notice };
  return { notice, form: { ...returned(validateOnServer(fields)), error: undefined } };
}
