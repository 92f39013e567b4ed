import { useSyncExternalStore } from "react";

const subscribe = () => () => {};

/** False on the server and in the browser's first render. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
