import { createContext, useContext } from "react";

/** The nonce of this answer's inline scripts. Empty in the browser, which hides nonces from the document anyway. */
const NonceContext = createContext<string | undefined>(undefined);

export const NonceProvider = NonceContext.Provider;

export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
