import { monthlyPrice } from "../support/api-in-process/stripe-objects";
import { checkEmail, checkSubscription } from "./charges";
import { Deeds } from "./deeds";
import { deliver } from "./deliveries";
import { checkEnd } from "./invariants";
import type { LoadedApi } from "./loaded-api";
import { CUSTOM } from "./packages";
import { MailReader, Operator } from "./people";
import { Visitor } from "./visitors";
import { World } from "./world";

const VISITORS = 8;

/** Runs a history from the first visitor until long after the last fault. The same seed always gives the same history. */
async function live(seed: number, loaded: LoadedApi, isTraced = false) {
  const deeds = new Deeds();
  const world: World = new World(
    seed,
    loaded,
    isTraced,
    (event, about) => {
      if (about.object === "subscription" && about.status !== "canceled") checkSubscription(world, deeds, about);
      deliver(world, event, about);
    },
    (key, text) => {
      checkEmail(world, key, text);
      void new MailReader(world, deeds, key).read(text);
    },
    (invocation) => {
      const visitor = deeds.visitors.find(({ name }) => invocation.startsWith(name));
      if (visitor) void new Operator(world, deeds, `operator during ${invocation}`).erase(visitor.email);
    },
  );
  world.stripe.objects.set(CUSTOM.price, { ...monthlyPrice(CUSTOM.cents, CUSTOM.id), id: CUSTOM.price });
  for (let index = 0; index < VISITORS; index += 1) void new Visitor(world, deeds, `visitor ${index}`).visit(index);
  void new Operator(world, deeds, "the company").changePrices();
  await world.scheduler.runUntil(world.conditions.to);
  checkEnd(world, deeds);
  const { violations, trace, reached } = world;
  return { violations, trace, reached, signUps: deeds.sentForms.length };
}

/**
 * Runs one history per seed, starting at `first`, until there are `signUps` sign-ups or a seed with a violation.
 * @param tell is called with the number of sign-ups after each history
 */
export async function search(
  loaded: LoadedApi,
  { first, signUps }: { first: number; signUps: number },
  tell = (_made: number) => {},
) {
  const reached = new Set<string>();
  let [made, seed] = [0, first];
  let failing: number | undefined;
  for (; failing === undefined && made < signUps; seed += 1) {
    const outcome = await live(seed, loaded);
    made += outcome.signUps;
    tell(made);
    for (const pair of outcome.reached) reached.add(pair);
    if (outcome.violations.length > 0) failing = seed;
  }
  return { signUps: made, histories: seed - first, reached, failing };
}

/** Lists the violations, the line that repeats them, then all steps: a test runner cuts off the end of a long message. */
export async function report(seed: number, loaded: LoadedApi): Promise<string> {
  const { violations, trace } = await live(seed, loaded, true);
  return [...violations, "", `npm run simulate -- --sign-ups 1 --seed ${seed}`, "", ...trace].join("\n");
}
