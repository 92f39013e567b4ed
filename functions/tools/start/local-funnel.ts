import * as z from "zod";

const line = z.object({ event: z.literal("funnel"), step: z.string(), package: z.string(), field: z.string() });

/**
 * Hands a count that a Worker has logged on to the simulator's page: without a dataset of Analytics Engine, which only
 * Cloudflare has, the Workers count in their logs. Does nothing for any other line.
 */
export async function showCount(text: string, simulatorUrl: string): Promise<void> {
  if (!text.includes('"event":"funnel"')) return;
  const { success, data } = line.safeParse(parseJson(text));
  if (!success) return;
  const { event: _, ...count } = data;
  // Without the page nothing is lost but its number.
  await fetch(`${simulatorUrl}/funnel`, { method: "POST", body: JSON.stringify(count) }).catch(() => undefined);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
