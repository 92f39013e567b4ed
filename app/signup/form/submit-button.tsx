import { useEffect, useRef } from "react";
import { Button } from "../../ui/controls/button";
import type { SignupReply } from "../steps";

/** Sends the form, or answers a challenge, with Turnstile if it is configured. */
export function SubmitButton({ challenge, busy }: Pick<SignupReply, "challenge"> & { busy: boolean }) {
  const { token, siteKey } = challenge ?? {};
  const widget = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one widget per challenge
  useEffect(() => {
    if (!siteKey) return;
    import("./turnstile-widget").then(
      ({ showTurnstile }) => widget.current && showTurnstile(widget.current, siteKey),
      () => undefined,
    );
  }, [siteKey, token]);
  return (
    <>
      {siteKey && <div key={token} ref={widget} className="mt-4" />}
      <Button type="submit" size="lg" className="mt-4 w-full" busy={busy} name={token && "confirmation"} value={token}>
        {busy ? "Processing..." : token ? "Confirm and continue" : "Payment"}
      </Button>
    </>
  );
}
