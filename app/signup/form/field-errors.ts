import { type FormEvent, useState } from "react";
import type { FieldError } from "../../ui/controls/error-summary";
import { FIELD_NAMES } from "../form-schema";
import type { SignupReply } from "../steps";
import { PLAN_CHOICE_ID } from "./plan-choice";
import { fieldId } from "./signup-field";

/** The messages under the fields. */
export type FieldErrors = Record<string, string[] | undefined>;

/**
 * The messages under the fields come from three sources, of which a later one wins:
 *
 * 1. the API, for a field that it refused, until the visitor changes the field
 * 2. `fromSchema`: the form's rules, as the browser or the server has checked them
 * 3. `planProblem`: the API, for the posted plan, until the visitor chooses another
 */
export function useFieldErrors(
  reply: SignupReply | undefined,
  { fromSchema, planProblem }: { fromSchema: FieldErrors; planProblem: string | undefined },
) {
  const [changed, setChanged] = useState<SignupReply>();
  const refused: Partial<Record<string, string[]>> = (changed !== reply && reply?.notice?.fields) || {};
  const errors: FieldErrors = { ...refused, ...fromSchema, ...(planProblem && { package_id: [planProblem] }) };
  return {
    errors,
    /** Removes the API's message about the field. */
    onInput({ target }: FormEvent<HTMLFormElement>) {
      if (target instanceof HTMLInputElement && refused[target.name]) setChanged(reply);
    },
  };
}

/** The messages of the summary above the form, each with the field that it links to. */
export function summaryOf(errors: Readonly<Record<string, string[] | null | undefined>>): FieldError[] {
  return FIELD_NAMES.flatMap((name) =>
    (errors[name] ?? []).map((message) => ({
      fieldId: name === "package_id" ? PLAN_CHOICE_ID : fieldId(name),
      message,
    })),
  );
}
