import { useEffect, useRef, useState } from "react";

/**
 * The page's stylesheet, which the server puts inside (app/edge/pages/inline-style.server.ts). React leaves that text
 * alone when it hydrates. Should React ever make the page anew, the stylesheet is loaded from `href`.
 */
export function InlineStylesheet({ href }: { href: string }) {
  const style = useRef<HTMLStyleElement>(null);
  const [isLost, setLost] = useState(false);
  useEffect(() => setLost(style.current?.textContent === ""), []);
  if (isLost) return <link rel="stylesheet" href={href} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: empty; React leaves HTML alone when it hydrates, but not children
  return <style ref={style} data-href={href} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: "" }} />;
}
