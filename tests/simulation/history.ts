import { checkEnd, subscriptionBegan } from "./invariants";
import type { LoadedApi } from "./load-api";
import { HOUR } from "./scheduler";
import { type Deeds, visit } from "./visitors";
import { type History, World } from "./world";

const VISITORS = Array.from({ length: 25 }, (_, index) => index);

export type Outcome = { violations: string[]; faults: string[]; trace: string[]; signUps: number };

/** Lives through a history, from the first visitor to long after the last fault. */
export async function live(history: History, loaded: LoadedApi, isTraced = false): Promise<Outcome> {
  const deeds: Deeds = { told: [], consents: [] };
  const world: World = new World(
    history,
    loaded,
    (made, customer) => subscriptionBegan(world, deeds, made, customer),
    isTraced,
  );
  for (const index of history.visitors) {
    visit(world, index, deeds).catch((reason) => world.violate(`visitor ${index}: ${String(reason)}`));
  }
  await world.scheduler.runUntil(world.scheduler.now + world.days * 24 * HOUR);
  checkEnd(world, deeds);
  world.close();
  return { violations: world.violations, faults: world.faults, trace: world.trace, signUps: deeds.told.length };
}

/** Lives through one history after the other, each with the seed after that of the last one, until something is wrong. */
export async function search(
  loaded: LoadedApi,
  { seed, step = 1, goesOn }: { seed: number; step?: number; goesOn: (signUps: number) => boolean },
): Promise<{ signUps: number; histories: number; failing?: History }> {
  let [signUps, histories] = [0, 0];
  while (goesOn(signUps)) {
    const history = { seed: seed + histories * step, visitors: VISITORS };
    const outcome = await live(history, loaded);
    signUps += outcome.signUps;
    histories += 1;
    if (outcome.violations.length > 0) return { signUps, histories, failing: history };
  }
  return { signUps, histories };
}

/** The shortest history found, within a minute, that is still wrong: with fewer visitors, then with fewer faults. */
export async function shrink(history: History, loaded: LoadedApi): Promise<History> {
  const end = performance.now() + 60_000;
  const isWrong = async (shorter: History) =>
    performance.now() < end && (await live(shorter, loaded)).violations.length > 0;
  const visitors = await fewest(history.visitors, (fewer) => isWrong({ ...history, visitors: fewer }));
  const { faults } = await live({ ...history, visitors }, loaded);
  const only = await fewest(faults, (fewer) => isWrong({ ...history, visitors, only: fewer }));
  return { ...history, visitors, only };
}

/** Leaves out a half, then quarters, and so on, as long as that is enough. */
async function fewest<T>(all: T[], isEnough: (some: T[]) => Promise<boolean>): Promise<T[]> {
  let kept = all;
  for (let size = Math.ceil(all.length / 2); kept.length > 0; size = Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const some = kept.filter((_, at) => at < from || at >= from + size);
      if (await isEnough(some)) kept = some;
      else from += size;
    }
    if (size === 1) break;
  }
  return kept;
}

/** What went wrong, all that happened, and the command that makes it happen again. */
export async function report(history: History, loaded: LoadedApi, fault?: string): Promise<string> {
  const { violations, trace } = await live(history, loaded, true);
  const args = ["--seed", history.seed, "--visitors", history.visitors.join(",")];
  const only = (history.only ?? []).flatMap((name) => ["--only", `'${name}'`]);
  const planted = fault === undefined ? [] : ["--fault", `'${fault}'`];
  return [...trace, "", ...violations, "", `npm run simulate -- ${[...args, ...only, ...planted].join(" ")}`].join(
    "\n",
  );
}
