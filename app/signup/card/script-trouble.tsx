interface ScriptTroubleProps {
  hasLink: boolean;
}

/** `start-script.server.ts` hides the first text or shows another one, which is in attributes until it is true. */
export function ScriptTrouble({ hasLink }: ScriptTroubleProps) {
  const orElsewhere = hasLink ? ", or continue on another device with the link below" : "";
  return (
    <>
      {/* Not in <noscript>: a browser may have scripts on and refuse the page's. */}
      <div className="scripts-off notice notice-progress mt-6" suppressHydrationWarning>
        <p className="font-bold">You need JavaScript to enter a card</p>
        <p className="text-sm">{`Nothing is lost. Turn JavaScript on and open this page again${orElsewhere}.`}</p>
      </div>
      <div role="alert" className="notice notice-progress mt-6" hidden suppressHydrationWarning>
        <Text title unsupported="You can’t enter a card in this browser" failed="The card form didn’t load" />
        <Text
          unsupported={`It’s too old for the card form. Nothing is lost: ${hasLink ? "continue on another device with the link below" : "update it, then open this page again"}.`}
          failed={`Nothing is lost. Check your connection and reload this page${orElsewhere}.`}
        />
      </div>
    </>
  );
}

/** Empty, and left alone by React, because the inline script fills it in. */
function Text({ title = false, unsupported, failed }: { title?: boolean; unsupported: string; failed: string }) {
  const texts = { "data-unsupported": unsupported, "data-failed": failed };
  const className = title ? "font-bold" : "text-sm";
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
  return <p className={className} {...texts} dangerouslySetInnerHTML={{ __html: "" }} />;
}
