import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

/*
 * Reads the page's data first: called without React, `RemixBrowser` throws the promise of them. Otherwise it suspends the root,
 * and an event in the meantime makes React fail ("Root did not complete"): https://github.com/remix-run/remix/issues/10214
 */
void Promise.resolve({})
  .then(RemixBrowser)
  .catch((reading) => reading)
  .then(() => startTransition(() => void hydrateRoot(document, <RemixBrowser />)));
