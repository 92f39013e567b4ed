import { createContext, useContext } from "react";
import { useNonce } from "./nonce";

const StartScriptContext = createContext<string | undefined>(undefined);

export const StartScriptProvider = StartScriptContext.Provider;

/** What the inline script leaves for `entry.client.tsx`. */
export interface PageStart {
  manifest: string;
  routes: Record<string, string>;
  failed(): void;
}

declare global {
  interface Window {
    pageStart: PageStart;
  }
}

/** Stands last in the body, where React leaves the server's script alone. */
export function StartScript() {
  const script = useContext(StartScriptContext);
  const nonce = useNonce();
  if (script === undefined) return null;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: built by start-script.server.ts
  return <script nonce={nonce} dangerouslySetInnerHTML={{ __html: script }} />;
}
