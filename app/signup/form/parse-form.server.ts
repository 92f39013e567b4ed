import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";
import type { PostedForm } from "../../edge/guard/form-body.server";
import { type SignupForm, signupForm, withoutEmptyFields } from "./form-schema";

/** All values are strings, so dropping the empty ones is all that Conform's coercion would do. */
const formWithoutEmptyFields = z.pipe(z.transform(withoutEmptyFields), signupForm);

export function parseForm(form: PostedForm): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(form), { schema: formWithoutEmptyFields, disableAutoCoercion: true });
}
