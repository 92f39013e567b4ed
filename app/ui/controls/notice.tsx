import { type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "../document/use-hydrated";

/** A notice that appears and disappears belongs in a `LiveRegion`. */
export function Notice({
  kind,
  title,
  takesFocus = false,
  children,
}: {
  kind: "progress" | "success" | "destructive";
  title: string;
  /** For the answer to an action: it gets the focus and comes into view. */
  takesFocus?: boolean;
  children?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const isNew = useRef(hydrated);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    // In a page that was loaded, the browser has done it (`autoFocus`), and the visitor may have gone on.
    if (!takesFocus || !isNew.current) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }, [takesFocus]);
  function close() {
    // Else the focus would be lost with the button.
    box.current?.closest<HTMLElement>(".live-region")?.focus({ preventScroll: true });
    setClosed(true);
  }
  if (closed) return null;
  return (
    <div
      ref={box}
      className={`notice notice-${kind}`}
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: React leaves it to the browser's load of a page
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

/** Stays in the document, so that screen readers announce what appears in it. */
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
