import { type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "../document/use-hydrated";

/** A notice that appears after the page has loaded needs a `LiveRegion` around it. */
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
    box.current?.closest<HTMLElement>(".live-region")?.focus({ preventScroll: true });
    setClosed(true);
  }
  if (closed) return null;
  return (
    <div
      ref={box}
      className={`notice notice-${kind}`}
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: only takes effect on a page load
      autoFocus={takesFocus}
    >
      <div className="min-w-0 flex-1">
        <p className="font-bold">{title}</p>
        {children && <div className="text-sm">{children}</div>}
      </div>
      {hydrated && kind !== "progress" && (
        <button type="button" className="notice-close" aria-label="Close" onClick={close} />
      )}
    </div>
  );
}

/** Stays in the document, so that screen readers announce its new content. */
export function LiveRegion({
  role,
  className = "",
  children,
}: {
  role: "status" | "alert";
  className?: string;
  children?: ReactNode;
}) {
  return (
    <div role={role} tabIndex={-1} className={`live-region ${className}`.trim()}>
      {children}
    </div>
  );
}
