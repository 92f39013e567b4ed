import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";
import { filledIn, type SignupForm, signupForm } from "./form-schema";

/** All values are strings, so that leaving out the empty ones is all that Conform's own coercion would do. */
const filledInForm = z.pipe(z.transform(filledIn), signupForm);

/** The form checked by the schema: its values, or what to answer; the browser's check finds the same. */
export function checkForm(form: FormData | URLSearchParams): Submission<SignupForm, string[]> {
  return parseWithZod(form, { schema: filledInForm, disableAutoCoercion: true });
}
