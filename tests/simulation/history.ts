import { monthlyPrice } from "../support/api-in-process/stripe-objects";
import { checkEmail, checkSubscription } from "./charges";
import { Deeds } from "./deeds";
import { deliver } from "./deliveries";
import { checkEnd } from "./invariants";
import type { LoadedApi } from "./loaded-api";
import { MailReader } from "./mail-reader";
import { Operator } from "./operator";
import { CUSTOM } from "./price-list";
import { Visitor } from "./visitors";
import { type History, World } from "./world";

const VISITORS = Array.from({ length: 8 }, (_, index) => index);

/** Runs a history from the first visitor until long after the last fault. */
export async function live(history: History, loaded: LoadedApi, isTraced = false) {
  const deeds = new Deeds();
  const world: World = new World(
    history,
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
  for (const index of history.visitors) void new Visitor(world, deeds, `visitor ${index}`).visit(index);
  void new Operator(world, deeds, "the company").changePrices();
  await world.scheduler.runUntil(world.conditions.to);
  checkEnd(world, deeds);
  const { violations, trace, reached } = world;
  return { violations, trace, reached, signUps: deeds.sentForms.length };
}

/**
 * Runs one history per seed, starting at `first`, until there are `signUps` sign-ups or a violation.
 * @param tell is called with the number of sign-ups after each history
 */
export async function search(
  loaded: LoadedApi,
  { first, signUps }: { first: number; signUps: number },
  tell = (_made: number) => {},
) {
  const reached = new Set<string>();
  let [made, histories] = [0, 0];
  let failing: History | undefined;
  while (failing === undefined && made < signUps) {
    const history = { seed: first + histories, visitors: VISITORS };
    const outcome = await live(history, loaded);
    made += outcome.signUps;
    histories += 1;
    tell(made);
    for (const pair of outcome.reached) reached.add(pair);
    if (outcome.violations.length > 0) failing = history;
  }
  return { signUps: made, histories, reached, failing };
}

/** Lists the violations, the line that repeats them, then all steps: a test runner cuts off the end of a long message. */
export async function report(history: History, loaded: LoadedApi): Promise<string> {
  const { violations, trace } = await live(history, loaded, true);
  const replay = `expect((await live(${JSON.stringify(history)}, await loadApi())).violations).toEqual([]);`;
  return [...violations, "", replay, "", ...trace].join("\n");
}
