import type { ComponentProps } from "react";
import { company } from "../../company";
import type { FormField } from "../../contract/fields/form-fields";
import { Field } from "../../ui/controls/field";
import { mailTo } from "../../ui/mail-to";
import { PasswordField } from "./password-field";

export const FORM_ID = "signup";

export const fieldId = (name: string) => `${FORM_ID}-${name}`;

const BEHAVIOR: Partial<Record<string, Partial<ComponentProps<typeof Field>>>> = {
  full_name: { dir: "auto" },
  company_name: { dir: "auto" },
  address: { className: "sm:col-span-2", dir: "auto" },
  city: { dir: "auto" },
  state: { dir: "auto" },
  zipCode: {
    remedy: (
      <span>
        Another format?{" "}
        <a className="text-link" href={mailTo(company.salesEmail)}>
          Contact sales
        </a>
        .
      </span>
    ),
  },
  country: { dir: "auto" },
};

interface SignupFieldProps {
  name: string;
  field: FormField;
  /** The messages of all fields. */
  errors: Readonly<Record<string, string[] | undefined>>;
  defaultValue: string | undefined;
}

/** A field of the form; for the password, also its repetition. */
export function SignupField({
  name,
  field: { rule: _, format: __, ...input },
  errors,
  defaultValue,
}: SignupFieldProps) {
  const props = { ...input, id: fieldId(name), name, errors: errors[name] };
  if (name !== "password") return <Field {...props} defaultValue={defaultValue} {...BEHAVIOR[name]} />;
  const { autoComplete, passwordrules } = input;
  const again = { id: fieldId("confirmPassword"), name: "confirmPassword", label: "Confirm Password" };
  return (
    <>
      <PasswordField {...props} />
      <PasswordField {...again} {...{ autoComplete, passwordrules }} errors={errors.confirmPassword} />
    </>
  );
}
