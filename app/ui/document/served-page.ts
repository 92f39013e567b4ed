import { useRouteError } from "@remix-run/react";

// Keeps the page if React fails, for example because an extension has changed it. React then removes the document, and Remix
// shows a stack. Before either is painted, this puts the page back with everything typed. It then works as with scripts off.
/** @param stopReact takes React off the document */
export function keepPage(stopReact: () => void): void {
  let page = document.documentElement;
  const observer = new MutationObserver(() => {
    // React also replaces the page when it starts over.
    if (document.getElementById("main")) {
      page = document.documentElement;
      return;
    }
    observer.disconnect();
    stopReact();
    document.documentElement?.remove();
    document.appendChild(page);
    workWithoutReact(page);
  });
  observer.observe(document, { childList: true });
}

function workWithoutReact(page: HTMLElement): void {
  const form = page.querySelector<HTMLFormElement>("form[id]");
  const isSending = window.__remixRouter?.state.navigation.state === "submitting";
  window.__remixRouter?.dispose();
  addEventListener("popstate", () => location.reload());
  window.pageStart.failed();
  // A form that is sent twice makes one sign-up.
  if (form && isSending) form.submit();
  // The server knows the step. A page that has been reloaded may fail again, and loads without scripts, which says so.
  else if (!form && !page.querySelector("[data-failed]")) {
    if (performance.navigation.type === 1) history.replaceState({ hasFailed: true }, "");
    location.reload();
  }
}

/** Errors of the page's own code are thrown on, so that the page is kept. All others come from the server. */
export function useServerErrorsOnly(): void {
  const error = useRouteError();
  if (typeof document !== "undefined" && !window.__remixRouter?.state.errors) throw error;
}
