import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useNonce } from "./nonce";

/** The text of the page's stylesheet, on the server only. */
const StylesheetContext = createContext<string | undefined>(undefined);

export const StylesheetProvider = StylesheetContext.Provider;

/** The path of a page's stylesheet: the last one named in its routes' handles. */
export function stylesheetOf(handles: unknown[]): string {
  const sheets = handles.flatMap((handle) =>
    typeof handle === "object" && handle !== null && "stylesheet" in handle ? [handle.stylesheet] : [],
  );
  return String(sheets.at(-1));
}

/**
 * The page's stylesheet, inlined so that the page paints after one request. Hydration keeps its text. If React renders the page
 * from scratch instead, the stylesheet is loaded from `href`.
 */
export function InlineStylesheet({ href }: { href: string }) {
  const text = useContext(StylesheetContext);
  const nonce = useNonce();
  const style = useRef<HTMLStyleElement>(null);
  const [isLost, setLost] = useState(typeof document === "undefined" && text === undefined);
  useEffect(() => setLost(style.current?.textContent === ""), []);
  if (isLost) return <link rel="stylesheet" href={href} />;
  const inline = { __html: text ?? "" };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: built by us; when hydrating, React keeps inner HTML but not children
  return <style nonce={nonce} ref={style} suppressHydrationWarning dangerouslySetInnerHTML={inline} />;
}
