const SCRIPT_URL = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";

declare global {
  interface Window {
    turnstile?: { render(container: HTMLElement, options: { sitekey: string }): unknown };
  }
}

/**
 * Shows Turnstile's widget, which adds its token to the enclosing form. If it cannot load, for example behind an ad blocker,
 * the button is enough.
 */
export function showTurnstile(container: HTMLElement, sitekey: string): void {
  const render = () => container.isConnected && window.turnstile?.render(container, { sitekey });
  if (window.turnstile) {
    render();
    return;
  }
  const script = document.createElement("script");
  script.onload = render;
  script.src = SCRIPT_URL;
  document.head.appendChild(script);
}
