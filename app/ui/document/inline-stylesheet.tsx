import { useEffect, useRef, useState } from "react";

/**
 * The page's stylesheet; the server inlines its text (app/pipeline/response/inline-style.server.ts), which React keeps when it
 * hydrates. If React renders the page again instead, the stylesheet is loaded from `href`.
 */
export function InlineStylesheet({ href }: { href: string }) {
  const style = useRef<HTMLStyleElement>(null);
  const [isLost, setLost] = useState(false);
  useEffect(() => setLost(style.current?.textContent === ""), []);
  if (isLost) return <link rel="stylesheet" href={href} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: empty; when hydrating, React keeps inner HTML but not children
  return <style ref={style} data-href={href} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: "" }} />;
}
