import { createContext, useContext } from "react";
import { useNonce } from "./nonce";

/** The inline script that starts the page's scripts; undefined in the browser and on pages without scripts. */
const StartScriptContext = createContext<string | undefined>(undefined);

export const StartScriptProvider = StartScriptContext.Provider;

/** What the inline script leaves for `entry.client.tsx`. */
export interface PageStart {
  /** The path of the module with Remix's list of routes. */
  manifest: string;
  /** The paths of the modules of the page's routes, by the routes' IDs. */
  routes: Record<string, string>;
  /** Says on the page that its scripts could not run. */
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
