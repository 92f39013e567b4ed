import { type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "../document/use-hydrated";

/**
 * Scrolls into view when it appears, and takes the focus only after a full page load, when no live region speaks. A notice
 * that appears and disappears belongs in a `NoticeArea`.
 */
export function Notice({
  kind,
  title,
  children,
}: {
  kind: "progress" | "success" | "destructive";
  title: string;
  children?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }, []);
  function close() {
    // Else the focus would be lost with the button.
    box.current?.closest<HTMLElement>(".notice-area")?.focus({ preventScroll: true });
    setClosed(true);
  }
  if (closed) return null;
  return (
    <div
      ref={box}
      className={`notice notice-${kind}`}
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: React leaves it to the browser's load of a page
      autoFocus={kind === "destructive"}
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

/** The live regions stay in the document, so that screen readers announce what appears in them. */
export function NoticeArea({ status, alert }: { status?: ReactNode; alert?: ReactNode }) {
  return (
    <div className="notice-area" tabIndex={-1}>
      <div role="status">{status}</div>
      <div role="alert">{alert}</div>
    </div>
  );
}
