import type { SignupReply } from "../../steps";

export type FormOutcome =
  | { status: "redirect"; response: Response }
  | { status: "reply"; reply: SignupReply; httpStatus: number }
  | { status: "failed"; error: unknown };

/** Redirects to the same page (post/redirect/get), so that a reload sends nothing twice. */
export function seeOther(path: string, cookie?: string): FormOutcome {
  const headers = { Location: path, ...(cookie !== undefined && { "Set-Cookie": cookie }) };
  return { status: "redirect", response: new Response(null, { status: 303, headers }) };
}

export function reply(httpStatus: number, content: SignupReply): FormOutcome {
  return { status: "reply", httpStatus, reply: content };
}
