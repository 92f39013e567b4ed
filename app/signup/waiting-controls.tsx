import { Link, useNavigation, useResolvedPath } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button, buttonClass } from "../ui/controls/button";
import { SpinnerIcon } from "../ui/controls/icons";
import { useLentFocus } from "../ui/controls/lent-focus";
import { useAnnouncement } from "./announcer";

/* Links and buttons that wait for the site. They say so at once: by a spinner, and to screen readers. */

const LOADING = "Loading…";

/** Leads to another view of the page by the router, which keeps the page if the site cannot be reached. */
export function RouteLink({ to, className, children }: { to: string; className: string; children: ReactNode }) {
  const { location, formData } = useNavigation();
  const { pathname, search } = useResolvedPath(to);
  const busy = !formData && location?.pathname === pathname && location.search === search;
  useAnnouncement(busy ? LOADING : undefined);
  return (
    <Link ref={useLentFocus<HTMLAnchorElement>(busy)} to={to} className={className} aria-busy={busy || undefined}>
      <span>{children}</span>
      {busy && <SpinnerIcon className="ml-2 inline size-4 animate-spin" />}
    </Link>
  );
}

export function RouteButtonLink({ to, className, children }: { to: string; className?: string; children: string }) {
  return (
    <RouteLink to={to} className={buttonClass({}, className)}>
      {children}
    </RouteLink>
  );
}

export function IntentButton({
  intent,
  ...props
}: { intent: string } & Pick<Parameters<typeof Button>[0], "variant" | "size" | "className" | "children">) {
  const busy = useNavigation().formData?.get("intent") === intent;
  useAnnouncement(busy ? LOADING : undefined);
  return <Button {...props} type="submit" name="intent" value={intent} busy={busy} />;
}
