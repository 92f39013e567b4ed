import { checkEnd, subscriptionBegan } from "./invariants";
import type { LoadedApi } from "./load-api";
import { type Deeds, visit } from "./visitors";
import { type History, HOUR, World } from "./world";

export const VISITORS = 25;

export type Outcome = { violations: string[]; faults: string[]; trace: string[]; signUps: number };

/** Lives through a history, from the first visitor to long after the last fault. */
export async function live(history: History, loaded: LoadedApi, tracing = false): Promise<Outcome> {
  const deeds: Deeds = { told: [], consents: [] };
  const world: World = new World(history, loaded, (made, customer) => subscriptionBegan(world, deeds, made, customer), tracing);
  for (const index of history.visitors) {
    visit(world, index, deeds).catch((reason) => world.violate(`visitor ${index}: ${String(reason)}`));
  }
  await world.scheduler.runUntil(world.scheduler.now + world.days * 24 * HOUR);
  checkEnd(world, deeds);
  world.close();
  return { violations: world.violations, faults: world.faults, trace: world.trace, signUps: deeds.told.length };
}
