import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/controls/button";
import { NoticeRegion } from "../../ui/controls/notice";
import { loadScript } from "../load-script";
import type { SignupReply } from "../steps";

const SCRIPT_URL = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";

interface WidgetOptions {
  sitekey: string;
  callback(): void;
  "error-callback"(): boolean;
}

declare global {
  interface Window {
    /** https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
    turnstile?: { render(container: HTMLElement, options: WidgetOptions): unknown };
  }
}

/** Turnstile adds its token to the enclosing form. Each reply gets a new widget, because a token passes once. */
export function TurnstileWidget({ reply, siteKey }: { reply: SignupReply; siteKey: string }) {
  const widget = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(1);
  const [state, setState] = useState<"loading" | "shown" | "blocked">("loading");
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each attempt
  useEffect(() => {
    setState("loading");
    const container = document.createElement("div");
    widget.current?.appendChild(container);
    function set(next: typeof state) {
      if (container.isConnected) setState(next);
    }
    async function show() {
      await loadScript(SCRIPT_URL, "turnstile");
      if (!container.isConnected) return;
      setState("shown");
      window.turnstile?.render(container, {
        sitekey: siteKey,
        callback: () => set("shown"),
        "error-callback": () => {
          set("blocked");
          return true;
        },
      });
    }
    show().catch(() => set("blocked"));
    return () => void container.remove();
  }, [reply, attempt]);
  function tryAgain() {
    setAttempt(attempt + 1);
    // The button had the focus, which would be lost when it is removed.
    widget.current?.focus({ preventScroll: true });
  }
  return (
    <>
      <NoticeRegion role="status" className="mt-4">
        {state === "loading" && <p className="text-sm text-muted">Loading the bot check…</p>}
        {state === "blocked" && (
          <div className="notice notice-destructive">
            <div>
              <p className="font-bold">The bot check did not load</p>
              <p className="text-sm">
                An ad blocker, a privacy extension or a firewall may block challenges.cloudflare.com. Allow it and try
                again, or wait a minute and submit.
              </p>
              <Button variant="secondary" size="sm" className="mt-3" onClick={tryAgain}>
                Try again
              </Button>
            </div>
          </div>
        )}
      </NoticeRegion>
      <div ref={widget} tabIndex={-1} className="outline-none" />
    </>
  );
}
