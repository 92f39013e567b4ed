import { Notice as NoticeBox } from "../ui/notice";
import type { Notice } from "./notices";

/** A notice of the sign-up's catalogue as it stands on the page. */
export function NoticeOf({ notice }: { notice: Notice }) {
  return (
    <NoticeBox kind={notice.kind} title={notice.title}>
      {notice.message}
    </NoticeBox>
  );
}
