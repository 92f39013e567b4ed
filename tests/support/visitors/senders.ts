import { setTimeout as sleep } from "node:timers/promises";

let seen = 0;

/** Headers of a new visitor. */
export function someone(): Record<string, string> {
  seen += 1;
  return { "CF-Connecting-IP": `198.51.${100 + Math.floor(seen / 250)}.${1 + (seen % 250)}` };
}

/**
 * Waits for the next minute when too little is left of this one for a whole test: the rate limiter of workerd counts from
 * one full minute to the next.
 */
export async function enoughOfTheMinute(): Promise<void> {
  const age = Date.now() % 60_000;
  if (age > 52_000) await sleep(60_000 - age);
}
