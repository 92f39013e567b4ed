import { Link } from "@remix-run/react";
import { type AnchorHTMLAttributes, type ButtonHTMLAttributes, useLayoutEffect, useRef } from "react";
import { SpinnerIcon } from "./icons";

interface ButtonStyle {
  variant?: "primary" | "secondary" | "ghost";
  size?: "sm" | "md" | "lg";
}

function buttonClass({ variant = "primary", size = "md" }: ButtonStyle, className = "") {
  return `btn btn-${variant} btn-${size} ${className}`.trim();
}

/** Disabled with a spinner while busy. Takes the focus back afterward, unless the visitor has moved it. */
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
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  // A layout effect, because a disabled button loses the focus with the next paint.
  useLayoutEffect(() => {
    if (busy) hadFocus.current = document.activeElement === button.current;
    else if (hadFocus.current && document.activeElement === document.body)
      button.current?.focus({ preventScroll: true });
  }, [busy]);
  return (
    <button
      {...rest}
      ref={button}
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

/** Leads to another view of the same page by the router, which keeps the page if the site cannot be reached. */
export function RouteButtonLink({ to, className, children }: { to: string; className?: string; children: string }) {
  return (
    <Link to={to} className={buttonClass({}, className)}>
      {children}
    </Link>
  );
}
