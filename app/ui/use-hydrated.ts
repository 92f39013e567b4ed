import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page's scripts have taken over: false on the server and in the first render of the browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
