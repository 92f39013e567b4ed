const TIMEOUT_MS = 15_000;

/**
 * Loads a script that sets a global. Rejects if the script fails, takes longer than 15 s or is replaced by an empty one, as content
 * blockers do. Can be called again.
 */
export function loadScript(url: string, global: "Stripe" | "turnstile"): Promise<void> {
  if (global in window) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const fail = () => {
      clearTimeout(timer);
      script.remove();
      reject(new Error(`${url} did not load`));
    };
    const timer = setTimeout(fail, TIMEOUT_MS);
    script.onload = () => {
      if (!(global in window)) return fail();
      clearTimeout(timer);
      resolve();
    };
    script.onerror = fail;
    script.src = url;
    document.head.appendChild(script);
  });
}
