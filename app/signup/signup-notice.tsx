import { Notice as NoticeBox } from "../ui/notice";
import type { Notice } from "./notices";

export function SignupNotice({ notice }: { notice: Notice }) {
  return (
    <NoticeBox kind={notice.kind} title={notice.title}>
      {notice.message}
    </NoticeBox>
  );
}
