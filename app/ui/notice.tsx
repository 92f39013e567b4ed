import type { ReactNode } from "react";

/** A notice that appears and disappears belongs in a `NoticeArea`. */
export function Notice({
  kind,
  title,
  children,
}: {
  kind: "progress" | "success" | "destructive";
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className={`notice notice-${kind}`}>
      <p className="font-bold">{title}</p>
      {children && <div className="text-sm">{children}</div>}
    </div>
  );
}

/** The live regions stay in the document, so that screen readers announce what appears in them. */
export function NoticeArea({ status, alert }: { status?: ReactNode; alert?: ReactNode }) {
  return (
    <div className="notice-area">
      <div role="status">{status}</div>
      <div role="alert">{alert}</div>
    </div>
  );
}
