import type { ReactNode } from "react";

/** A message about the whole page. Put it into a live region (see `NoticeArea`) when it comes and goes. */
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

/** Live regions for notices: they stay in the document, so that what appears in them is announced. */
export function NoticeArea({ status, alert }: { status?: ReactNode; alert?: ReactNode }) {
  return (
    <div className="notice-area">
      <div role="status">{status}</div>
      <div role="alert">{alert}</div>
    </div>
  );
}
