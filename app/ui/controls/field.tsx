import { type InputHTMLAttributes, memo, type ReactNode } from "react";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  id: string;
  name: string;
  label: string;
  hint?: string;
  /** https://github.com/whatwg/html/issues/3518 */
  passwordrules?: string;
  errors?: string[] | undefined;
  remedy?: ReactNode;
  aside?: ReactNode;
}

/** Memoized, so that an error in one field does not re-render the others. */
export const Field = memo(function Field({
  id,
  label,
  hint,
  errors = [],
  remedy,
  aside,
  className = "",
  required = true,
  ...input
}: FieldProps) {
  const invalid = errors.length > 0;
  const hasRemedy = invalid && remedy !== undefined;
  const description = [hint && `${id}-hint`, invalid && `${id}-error`, hasRemedy && `${id}-remedy`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      <div className={invalid ? "field-frame is-invalid" : "field-frame"}>
        <input
          {...input}
          id={id}
          // Firefox tells screen readers that an empty field with `required` is invalid, also in a form with `noValidate`.
          aria-required={required}
          aria-invalid={invalid || undefined}
          aria-describedby={description || undefined}
        />
        {aside && <span className="contents">{aside}</span>}
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
      {hasRemedy && (
        <p id={`${id}-remedy`} className="text-sm">
          {remedy}
        </p>
      )}
    </div>
  );
});
