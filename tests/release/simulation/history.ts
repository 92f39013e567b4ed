import { checkEnd, checkMail, checkSubscription } from "./invariants";
import type { LoadedApi } from "./loaded-api";
import { Deeds, Visitor } from "./visitors";
import { type History, World } from "./world";

const VISITORS = Array.from({ length: 8 }, (_, index) => index);
/** Number of sign-ups, and the first seed after the known ones. */
export type Search = { first: number; signUps: number; known?: number[] };

const SHRINKS_FOR_MS = 60_000;

/** Runs a history from the first visitor to long after the last fault. */
export async function live(history: History, loaded: LoadedApi, isTraced = false) {
  const deeds = new Deeds();
  const world: World = new World(
    history,
    loaded,
    isTraced,
    (what, subscription) => checkSubscription(world, deeds, what, subscription),
    (key, text) => {
      checkMail(world, key, text);
      void new Visitor(world, deeds, key).readMail(key, text);
    },
  );
  for (const index of history.visitors) void new Visitor(world, deeds, `visitor ${index}`).visit(index);
  await world.scheduler.runUntil(world.end);
  checkEnd(world, deeds);
  const { violations, faults, trace, reached } = world;
  return { violations, faults, trace, reached, signUps: deeds.told.length };
}

/** Pairs of a step and what went wrong with it, and the first seed that reached each. */
export type Reached = Map<string, number>;

/**
 * Runs the histories of the known seeds, then of `first` and the seeds after it, until so many sign-ups were made or
 * something is wrong.
 */
export async function search(loaded: LoadedApi, { first, signUps, known = [] }: Search) {
  const reached: Reached = new Map();
  let [made, histories] = [0, 0];
  let failing: History | undefined;
  while (failing === undefined && made < signUps) {
    const history = { seed: known[histories] ?? first + histories - known.length, visitors: VISITORS };
    const outcome = await live(history, loaded);
    made += outcome.signUps;
    histories += 1;
    for (const pair of outcome.reached) if (!reached.has(pair)) reached.set(pair, history.seed);
    if (outcome.violations.length > 0) failing = history;
  }
  return { signUps: made, histories, reached, failing };
}

/** The shortest history found that is still wrong: with fewer visitors, then with fewer faults. */
export async function shrink(history: History, loaded: LoadedApi): Promise<History> {
  const end = performance.now() + SHRINKS_FOR_MS;
  const isWrong = async (some: Partial<History>) =>
    performance.now() < end && (await live({ ...history, ...some }, loaded)).violations.length > 0;
  const visitors = await fewest(history.visitors, (fewer) => isWrong({ visitors: fewer }));
  const { faults } = await live({ ...history, visitors }, loaded);
  const only = await fewest(faults, (fewer) => isWrong({ visitors, only: fewer }));
  return { ...history, visitors, only };
}

/** Removes halves, then quarters, and so on, while the history still fails. */
async function fewest<T>(all: T[], isEnough: (some: T[]) => Promise<boolean>): Promise<T[]> {
  let kept = all;
  for (let size = all.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const some = kept.filter((_, at) => at < from || at >= from + size);
      if (await isEnough(some)) kept = some;
      else from += size;
    }
  }
  return kept;
}

/** The failure, all steps, and the command that repeats it. */
export async function report(history: History, loaded: LoadedApi): Promise<string> {
  const { violations, trace } = await live(history, loaded, true);
  const replay = `expect((await live(${JSON.stringify(history)}, await loadApi())).violations).toEqual([]);`;
  return [...trace, "", ...violations, "", replay].join("\n");
}
