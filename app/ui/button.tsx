import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { SpinnerIcon } from "./icons";

export type ButtonVariant = "primary" | "secondary" | "ghost";
export type ButtonSize = "sm" | "md" | "lg";

interface Look {
  variant?: ButtonVariant;
  size?: ButtonSize;
}

function look({ variant = "primary", size = "md" }: Look, className = "") {
  return `btn btn-${variant} btn-${size} ${className}`.trim();
}

/** A button; `busy` shows the spinner and tells assistive technology. Whether it is disabled is the caller's to say. */
export function Button({
  variant,
  size,
  busy = false,
  className,
  children,
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & Look & { busy?: boolean }) {
  return (
    <button {...rest} type={type} aria-busy={busy || undefined} className={look({ variant, size }, className)}>
      {busy && <SpinnerIcon className="size-5 animate-spin" />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  className,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & Look & { href: string }) {
  return (
    <a {...rest} className={look({ variant, size }, className)}>
      {children}
    </a>
  );
}
