import { type FormEvent, useState } from "react";
import type { FieldError } from "../../ui/controls/error-summary";
import { FIELD_NAMES } from "../form-schema";
import type { SignupReply } from "../steps";
import { PLAN_CHOICE_ID } from "./plan-choice";
import { fieldId } from "./signup-field";

export type FieldErrors = Record<string, string[] | undefined>;

/** The plan's problem wins over the schema's message, and that over the API's, which goes when the field changes. */
export function useFieldErrors(
  reply: SignupReply | undefined,
  { fromSchema, planProblem }: { fromSchema: FieldErrors; planProblem: string | undefined },
) {
  const [changed, setChanged] = useState<SignupReply>();
  const refused: Partial<Record<string, string[]>> = (changed !== reply && reply?.notice?.fields) || {};
  const errors: FieldErrors = { ...refused, ...fromSchema, ...(planProblem && { package_id: [planProblem] }) };
  return {
    errors,
    onInput({ target }: FormEvent<HTMLFormElement>) {
      if (target instanceof HTMLInputElement && refused[target.name]) setChanged(reply);
    },
  };
}

export function summaryOf(errors: Readonly<Record<string, string[] | null | undefined>>): FieldError[] {
  return FIELD_NAMES.flatMap((name) =>
    (errors[name] ?? []).map((message) => ({
      fieldId: name === "package_id" ? PLAN_CHOICE_ID : fieldId(name),
      message,
    })),
  );
}
