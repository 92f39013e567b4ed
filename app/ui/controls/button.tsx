import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { SpinnerIcon } from "./icons";
import { useLentFocus } from "./lent-focus";

interface ButtonStyle {
  variant?: "primary" | "secondary" | "ghost";
  size?: "sm" | "md" | "lg";
}

export function buttonClass({ variant = "primary", size = "md" }: ButtonStyle, className = "") {
  return `btn btn-${variant} btn-${size} ${className}`.trim();
}

export function Button({
  variant,
  size,
  busy = false,
  className,
  children,
  type = "button",
  disabled,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & ButtonStyle & { busy?: boolean }) {
  return (
    <button
      {...rest}
      ref={useLentFocus<HTMLButtonElement>(busy)}
      type={type}
      disabled={busy || disabled}
      aria-busy={busy || undefined}
      className={buttonClass({ variant, size }, className)}
    >
      {busy && <SpinnerIcon className="size-5 animate-spin" />}
      <span>{children}</span>
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
