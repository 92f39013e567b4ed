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

/** `busy` shows the spinner and sets aria-busy; it does not disable the button. */
export function Button({
  variant,
  size,
  busy = false,
  className,
  children,
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & ButtonStyle & { busy?: boolean }) {
  return (
    <button {...rest} type={type} aria-busy={busy || undefined} className={buttonClass({ variant, size }, className)}>
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
