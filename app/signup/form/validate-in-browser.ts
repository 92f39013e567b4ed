import { parse, type Submission } from "@conform-to/react";
import { withoutEmptyFields } from "../../contract/subscription-request";
import { type SignupForm, signupForm, withChosenPlan } from "../form-schema";

/** Validates with the server's schema, but without `parseWithZod`, which would add Zod's classic build to the bundle. */
export function validateInBrowser(formData: FormData): Submission<SignupForm, string[]> {
  return parse<SignupForm, string[]>(formData, {
    resolve(payload) {
      const { success, data, error } = signupForm.safeParse(withoutEmptyFields(withChosenPlan(payload)));
      return success ? { value: data } : { error: messagesByField(error.issues) };
    },
  });
}

function messagesByField(issues: { path: PropertyKey[]; message: string }[]): Record<string, string[]> {
  const messages: Record<string, string[]> = {};
  for (const { path, message } of issues) {
    const field = String(path[0]);
    messages[field] = [...(messages[field] ?? []), message];
  }
  return messages;
}
