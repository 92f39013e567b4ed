import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

/*
 * Reads the page's data before hydration. Called outside React, `RemixBrowser` starts to read the data and throws a promise. Called
 * inside, it would suspend the root, and React would fail at the next event ("Root did not complete"):
 * https://github.com/remix-run/remix/issues/10214
 */
void Promise.resolve({})
  .then(RemixBrowser)
  .catch((reading) => reading)
  .then(() => startTransition(() => void hydrateRoot(document, <RemixBrowser />)));
