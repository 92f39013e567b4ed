import { useEffect, useRef } from "react";
import { Button } from "../../ui/controls/button";
import type { SignupReply } from "../steps";

/** Submits the form. Shows Turnstile if the server asks for it. */
export function SubmitButton({ reply, busy }: { reply: SignupReply | undefined; busy: boolean }) {
  const siteKey = reply?.challenge;
  const widget = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a token passes once, so each reply needs a new widget
  useEffect(() => {
    if (!siteKey || !widget.current) return;
    widget.current.replaceChildren();
    showTurnstile(widget.current, siteKey);
  }, [reply]);
  return (
    <>
      {siteKey && <div ref={widget} className="mt-4" />}
      <Button type="submit" size="lg" className="mt-4 w-full" busy={busy}>
        {busy ? "Processing..." : "Payment"}
      </Button>
    </>
  );
}

const SCRIPT_URL = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";

declare global {
  interface Window {
    turnstile?: { render(container: HTMLElement, options: { sitekey: string }): unknown };
  }
}

/** Shows Turnstile's widget, which adds its token to the enclosing form. */
function showTurnstile(container: HTMLElement, sitekey: string): void {
  const render = () => container.isConnected && window.turnstile?.render(container, { sitekey });
  if (window.turnstile) {
    render();
    return;
  }
  const script = document.createElement("script");
  script.onload = render;
  script.src = SCRIPT_URL;
  document.head.appendChild(script);
}
