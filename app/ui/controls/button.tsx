import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { SpinnerIcon } from "./icons";

export type ButtonVariant = "primary" | "secondary" | "ghost";
export type ButtonSize = "sm" | "md" | "lg";

interface ButtonStyle {
  variant?: ButtonVariant;
  size?: ButtonSize;
}

function buttonClass({ variant = "primary", size = "md" }: ButtonStyle, className = "") {
  return `btn btn-${variant} btn-${size} ${className}`.trim();
}

/** While busy it shows the spinner and does nothing; `disabled` is ignored then, because it would lose the focus. */
export function Button({
  variant,
  size,
  busy = false,
  className,
  children,
  type = "button",
  disabled,
  onClick,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & ButtonStyle & { busy?: boolean }) {
  return (
    <button
      {...rest}
      type={type}
      disabled={!busy && disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonClass({ variant, size }, className)}
    >
      {busy && <SpinnerIcon className="size-5 animate-spin" />}
      {children}
    </button>
  );
}

export function ButtonLink({
  variant,
  size,
  className,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & ButtonStyle & { href: string }) {
  return (
    <a {...rest} className={buttonClass({ variant, size }, className)}>
      {children}
    </a>
  );
}
