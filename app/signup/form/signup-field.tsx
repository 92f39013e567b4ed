import { type ComponentProps, memo, useState } from "react";
import { company } from "../../company";
import type { FormField } from "../../contract/fields/form-fields";
import { Field } from "../../ui/controls/field";
import { useHydrated } from "../../ui/document/use-hydrated";
import { mailTo } from "../../ui/mail-to";

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
  errors: Readonly<Record<string, string[] | undefined>>;
  defaultValue: string | undefined;
}

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

/** With a button that shows the password, which needs JavaScript. */
const PasswordField = memo(function PasswordField(props: ComponentProps<typeof Field>) {
  const hydrated = useHydrated();
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...props}
      type={shown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      aside={
        hydrated && (
          <button type="button" className="field-toggle" aria-controls={props.id} onClick={() => setShown(!shown)}>
            <span>{shown ? "Hide" : "Show"}</span>
            <span className="sr-only">{` ${props.label.toLowerCase()}`}</span>
          </button>
        )
      }
    />
  );
});
