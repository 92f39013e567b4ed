import { type InputHTMLAttributes, memo, type ReactNode } from "react";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  id: string;
  name: string;
  label: string;
  hint?: string;
  errors?: string[] | undefined;
  /** Shown inside the field's border, for example a show/hide button. */
  aside?: ReactNode;
}

/** Memoized, so that an error in one field does not re-render the others. */
export const Field = memo(function Field({
  id,
  label,
  hint,
  errors = [],
  aside,
  className = "",
  required = true,
  ...input
}: FieldProps) {
  const invalid = errors.length > 0;
  const description = [hint && `${id}-hint`, invalid && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      <div className="field-frame">
        <input
          {...input}
          id={id}
          required={required}
          aria-invalid={invalid || undefined}
          aria-describedby={description || undefined}
        />
        {aside}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {invalid && (
        <ul id={`${id}-error`} className="field-errors">
          {errors.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
});
