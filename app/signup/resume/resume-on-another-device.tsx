import { useState } from "react";
import { counted } from "../../contract/counted";
import { Button } from "../../ui/controls/button";
import { useHydrated } from "../../ui/document/use-hydrated";
import { LINK_MINUTES } from "../durations";
import type { ResumeLink } from "../steps";

export function ResumeOnAnotherDevice({ link: { url, qrCodePath } }: { link: ResumeLink }) {
  return (
    <details className="change-plan mt-3">
      <summary>Continue on another device</summary>
      <p className="mt-3 text-sm text-muted">
        {`${qrCodePath ? "Scan the code or open the link" : "Open the link"} within ${counted(LINK_MINUTES, "minute")}. Anyone with this link can finish your sign-up, so don’t share it.`}
      </p>
      {qrCodePath && (
        <img
          // Loads the image only when the visitor opens the box. Must come before `src`, because React sets attributes in order.
          loading="lazy"
          src={qrCodePath}
          width={320}
          height={320}
          alt="QR code of the link below"
          className="mt-4 h-auto w-full max-w-80 rounded-md bg-[#fff]"
        />
      )}
      <p className="mt-4">
        <a href={url} className="block break-all text-sm text-brand underline">
          Link to continue this sign-up
        </a>
      </p>
      <CopyButton text={url} />
    </details>
  );
}

/** Works only with JavaScript, and over https or on localhost. */
function CopyButton({ text }: { text: string }) {
  const hydrated = useHydrated();
  const [label, setLabel] = useState("Copy link");
  if (!hydrated || navigator.clipboard === undefined) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setLabel("Copied"),
      () => setLabel("Not copied: use the link above"),
    );
  return (
    <div role="status" className="mt-3">
      <Button variant="secondary" size="sm" onClick={copy}>
        {label}
      </Button>
    </div>
  );
}
