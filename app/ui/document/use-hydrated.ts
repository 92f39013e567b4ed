import { useSyncExternalStore } from "react";

const subscribe = () => () => {};

/** False on the server and in the first render of the browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
