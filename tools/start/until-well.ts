import { setTimeout as pass } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { ToolError } from "../failures";

const maintenance = z.object({ keys: z.tuple([z.literal("MAINTENANCE")]) });

/** A Worker that is still not healthy after this long is misconfigured. */
const WELL_WITHIN_MS = 10_000;

/** Waits until the Worker is healthy, or in maintenance as told. Throws ToolError with the last answer of `url`. */
export async function untilWell(
  name: string,
  url: string,
  { withinMs = WELL_WITHIN_MS, everyMs = WELL_WITHIN_MS / 20 } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const response = await fetch(url);
    const text = await response.text();
    if (response.ok || maintenance.safeParse(parseJson(text)).success) return;
    if (performance.now() >= deadline) {
      throw new ToolError(`The Worker ${name} is not ready. ${url} says:\n${text}\nIts log is above.`);
    }
    await pass(everyMs);
  }
}
