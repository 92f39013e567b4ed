import { setTimeout as pass } from "node:timers/promises";
import { ToolError } from "../failures";

/** A Worker that is still not healthy after this long is misconfigured. */
const WELL_WITHIN_MS = 10_000;

/**
 * Waits until the Worker is healthy. Throws ToolError with its last answer if it does not become so in time.
 * @param name the Worker's, for the message
 * @param url of its health route
 */
export async function untilWell(
  name: string,
  url: string,
  { withinMs = WELL_WITHIN_MS, everyMs = WELL_WITHIN_MS / 20 } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const response = await fetch(url);
    const text = await response.text();
    if (response.ok) return;
    if (performance.now() >= deadline) {
      throw new ToolError(`The Worker ${name} is not ready. ${url} says:\n${text}\nIts log is above.`);
    }
    await pass(everyMs);
  }
}
