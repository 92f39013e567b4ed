import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

/**
 * Reads the page's data first. Otherwise Remix suspends the root, and an event in the meantime makes React fail ("Root did not
 * complete"): https://github.com/remix-run/remix/issues/10214. Called without React, `RemixBrowser` throws the promise.
 */
async function readData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (reading) {
    await reading;
  }
}

void readData().then(() => startTransition(() => void hydrateRoot(document, <RemixBrowser />)));
