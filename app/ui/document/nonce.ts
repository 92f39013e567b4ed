import { createContext, useContext } from "react";

/** Empty in the browser, which hides nonces from scripts. */
const NonceContext = createContext<string | undefined>(undefined);

export const NonceProvider = NonceContext.Provider;

export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
