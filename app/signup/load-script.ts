import { LOADING_LIMIT_MS } from "./durations";
import { withTimeLimit } from "./timers";

/** Rejects if the script fails, takes longer than 15 s or is replaced by an empty one, as content blockers do. */
export async function loadScript(url: string, global: "Stripe" | "turnstile"): Promise<void> {
  if (global in window) return;
  const script = document.createElement("script");
  const loading = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${url} did not load`));
  });
  script.src = url;
  document.head.appendChild(script);
  try {
    await withTimeLimit(LOADING_LIMIT_MS, loading);
    if (!(global in window)) throw new Error(`${url} is empty`);
  } catch (failure) {
    script.remove();
    throw failure;
  }
}
