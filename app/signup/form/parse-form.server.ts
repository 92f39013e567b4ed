import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";
import type { PostedForm } from "../../edge/guard/form-body.server";
import { filledIn, type SignupForm, signupForm } from "./form-schema";

/** All values are strings, so that leaving out the empty ones is all that Conform's own coercion would do. */
const filledInForm = z.pipe(z.transform(filledIn), signupForm);

/** The server's decision about a form: its values, or what to reply. The browser's own check finds the same. */
export function parseForm(form: PostedForm): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(form), { schema: filledInForm, disableAutoCoercion: true });
}
