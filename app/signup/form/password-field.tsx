import { type ComponentProps, memo, useState } from "react";
import { Field } from "../../ui/controls/field";
import { useHydrated } from "../../ui/document/use-hydrated";

/** With a button that shows the password, which needs JavaScript. */
export const PasswordField = memo(function PasswordField(props: ComponentProps<typeof Field>) {
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
