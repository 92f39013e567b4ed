import { type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "../document/use-hydrated";

const TEXT_ID = "notice-text";

/** A notice that appears after the page has loaded takes the focus or is announced, and stands in a `NoticeRegion`. */
export function Notice({
  kind,
  title,
  takesFocus = false,
  children,
}: {
  kind: "progress" | "success" | "destructive";
  title: string;
  /** Focuses the notice and scrolls it into view, after an action. */
  takesFocus?: boolean;
  children?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const isNew = useRef(hydrated);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    // After a page load, `autoFocus` has already focused it, and the visitor may have moved on.
    if (!takesFocus || !isNew.current) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }, [takesFocus]);
  function close() {
    // The notice's button had the focus, which would be lost when it is removed.
    box.current?.closest<HTMLElement>(".notice-region")?.focus({ preventScroll: true });
    setClosed(true);
  }
  if (closed) return null;
  return (
    <div
      ref={box}
      className={`notice notice-${kind}`}
      tabIndex={-1}
      // Without a name, Firefox's screen readers are silent about a box that gets the focus.
      {...(takesFocus && { role: "group", "aria-label": title, "aria-describedby": TEXT_ID })}
      // biome-ignore lint/a11y/noAutofocus: only takes effect on a page load
      autoFocus={takesFocus}
    >
      <div className="min-w-0 flex-1">
        <p className="font-bold">{title}</p>
        {children && (
          <div id={takesFocus ? TEXT_ID : undefined} className="text-sm">
            {children}
          </div>
        )}
      </div>
      {hydrated && kind !== "progress" && (
        <button type="button" className="notice-close" aria-label="Close" onClick={close} />
      )}
    </div>
  );
}

/** Takes the focus of a notice that is closed. With a role, it is a live region, which stays in the document. */
export function NoticeRegion({
  role,
  className = "",
  children,
}: {
  role?: "status";
  className?: string;
  children?: ReactNode;
}) {
  return (
    <div role={role} tabIndex={-1} className={`notice-region ${className}`.trim()}>
      {children}
    </div>
  );
}
