import { RemixBrowser } from "@remix-run/react";
import { startTransition, useLayoutEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { keepPage } from "./ui/document/served-page";
import type { PageStart } from "./ui/document/start-script";

/** At the first of these, React hydrates all the rest in one task (`discreteReplayableEvents` in React DOM). */
const DISCRETE_EVENTS = (
  "mousedown mouseup touchcancel touchend touchstart auxclick dblclick pointercancel pointerdown pointerup dragend dragstart drop " +
  "compositionend compositionstart keydown keypress keyup input textInput copy cut paste click change contextmenu reset submit"
).split(" ");

const keepFromReact = (event: Event) => event.stopPropagation();

function hideEvents() {
  for (const type of DISCRETE_EVENTS) addEventListener(type, keepFromReact, true);
}

function Page() {
  useLayoutEffect(() => {
    document.documentElement.setAttribute("data-scripts", "running");
    for (const type of DISCRETE_EVENTS) removeEventListener(type, keepFromReact, true);
  }, []);
  return <RemixBrowser />;
}

// Hydrates in short tasks. A key would turn them into one, a third of a second on a slow phone. So until hydration ends,
// React does not get these events: the page works as it does without scripts, and then the form formats what was typed.
function hydrate() {
  hideEvents();
  startTransition(() => {
    const reactRoot = hydrateRoot(document, <Page />);
    keepPage(() => {
      hideEvents();
      reactRoot.unmount();
    });
  });
}

async function loadRoutes({ manifest, routes }: PageStart): Promise<void> {
  const modules = Object.entries(routes).map(async ([id, path]) => [id, await import(path)] as const);
  await import(manifest);
  window.__remixRouteModules = Object.fromEntries(await Promise.all(modules));
}

// Reads the page's data before hydration. Inside React, the promise that `RemixBrowser` throws would suspend the root, and
// React would fail at the next event ("Root did not complete"): https://github.com/remix-run/remix/issues/10214
const readData = () =>
  Promise.resolve({})
    .then(RemixBrowser)
    .catch((reading) => reading);

loadRoutes(window.pageStart)
  .then(readData)
  .then(hydrate)
  .catch((error) => {
    window.pageStart.failed();
    throw error;
  });
