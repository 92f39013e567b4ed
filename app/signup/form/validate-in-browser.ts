import { parse, type Submission } from "@conform-to/react";
import { filledIn, type SignupForm, signupForm } from "./form-schema";

/** Validates the form in the browser with the server's schema; `parseWithZod` would bring Zod's classic build along. */
export function validateInBrowser(formData: FormData): Submission<SignupForm, string[]> {
  return parse<SignupForm, string[]>(formData, {
    resolve(payload) {
      const { success, data, error } = signupForm.safeParse(filledIn(payload));
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
