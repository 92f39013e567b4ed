import { createContext, useContext } from "react";
import { useNonce } from "./nonce";

const StylesheetContext = createContext<string | undefined>(undefined);

export const StylesheetProvider = StylesheetContext.Provider;

export function stylesheetOf(handles: unknown[]): string {
  const sheets = handles.flatMap((handle) =>
    typeof handle === "object" && handle !== null && "stylesheet" in handle ? [handle.stylesheet] : [],
  );
  return String(sheets[sheets.length - 1]);
}

const ID = "page-styles";

/** In the browser, the element that the server sent: React needs its text and nonce if it renders the page from scratch. */
const sent = typeof document === "undefined" ? null : document.querySelector<HTMLStyleElement>(`style#${ID}`);

/** The page's stylesheet, inlined so that the page paints after one request. Without its text, it is loaded from `href`. */
export function InlineStylesheet({ href }: { href: string }) {
  const text = useContext(StylesheetContext) ?? sent?.textContent ?? undefined;
  const nonce = useNonce() ?? sent?.nonce;
  if (text === undefined) return <link rel="stylesheet" href={href} />;
  const inline = { __html: text };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: built by us; when hydrating, React keeps inner HTML but not children
  return <style nonce={nonce} id={ID} suppressHydrationWarning dangerouslySetInnerHTML={inline} />;
}
