import { useEffect, useRef } from "react";
import type { ResumeLink } from "../steps";

/** Open without JavaScript, closed with it. */
export function ResumeOnAnotherDevice({ link }: { link: ResumeLink }) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (details.current) details.current.open = false;
  }, []);
  return (
    <details ref={details} className="card mt-8 p-5" open>
      <summary className="cursor-pointer py-1 font-semibold">Continue on another device</summary>
      <p className="mt-3 text-sm text-muted">
        Scan the code or open the link within 30 minutes. Whoever has it can finish this sign-up: keep it to yourself.
      </p>
      <img src={link.qrCode} alt="QR code of the link below" className="mt-4 w-full max-w-80 rounded-md bg-[#fff]" />
      <a href={link.url} className="mt-4 block break-all text-sm text-brand underline">
        Link to continue this sign-up
      </a>
    </details>
  );
}
