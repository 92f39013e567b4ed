import { inspect, isDeepStrictEqual } from "node:util";
import Stripe from "stripe";
import { stripeMessageOf } from "../../tools/stripe-setup/stripe-setup";
import { atOnce } from "./creations";
import type { Answer, Fact } from "./fact";
import { type Account, connect, type World } from "./world";

type Run = {
  account: Account;
  facts: Fact[];
  /** Called with each line at once. */
  say(line: string): void;
  /** Ends the run early, but not its cleaning up. */
  stop?: AbortSignal;
};

const AT_ONCE = 16;
const KEYS = "https://dashboard.stripe.com/test/apikeys";

/** Why a run with these keys cannot begin, if so. Live mode is never touched. */
async function refusalOf(account: Account): Promise<string | undefined> {
  const { secretKey, publishableKey } = account;
  if (secretKey === "") return `Set STRIPE_SECRET_KEY to a test key (sk_test_…): ${KEYS}`;
  if (!/^[sr]k_test_\w+$/.test(secretKey)) return "STRIPE_SECRET_KEY is not a test key (sk_test_…). Nothing was asked.";
  if (!/^(pk_test_\w+)?$/.test(publishableKey))
    return "STRIPE_PUBLISHABLE_KEY is not a test key (pk_test_…). Nothing was asked.";
  return connect(account)
    .stripe.events.list({ limit: 1 })
    .then(() => undefined, failureText);
}

/**
 * Asks Stripe's test mode about each fact, says for each whether it holds or what differs, and removes what was made.
 * @returns true if every fact holds and nothing is left
 */
export async function runFacts({ account, facts, say, stop }: Run): Promise<boolean> {
  const refused = await refusalOf(account);
  if (refused !== undefined) {
    say(refused);
    return false;
  }
  const { removeAll, ...world } = connect(account);
  let [held, differ] = [0, 0];
  await atOnce(AT_ONCE, facts, async (fact) => {
    if (stop?.aborted) return;
    const difference = await differenceIn(fact, world);
    if (difference === undefined) held += 1;
    else differ += 1;
    say(difference === undefined ? `✓ ${fact.situation}` : `✗ ${fact.situation}\n    ${difference}\n    ${fact.page}`);
  });
  const left = await removeAll();
  for (const line of left) say(line);
  const removed = left.length === 0 ? "everything made was removed" : `left at Stripe: ${left.length}`;
  say(`${held} of ${facts.length} true, ${differ} different; ${removed}`);
  return held === facts.length && left.length === 0;
}

async function differenceIn({ calls, comes }: Fact, world: World): Promise<string | undefined> {
  try {
    const came = await calls(world);
    return isDeepStrictEqual(plain(came), plain(comes)) ? undefined : `${shown(came)} instead of ${shown(comes)}`;
  } catch (error) {
    return failureText(error);
  }
}

/** Without the names whose values are undefined. */
const plain = (answer: Answer): unknown => JSON.parse(JSON.stringify(answer));
const shown = (answer: Answer) => inspect(answer, { depth: null, breakLength: Number.POSITIVE_INFINITY });

function failureText(error: unknown): string {
  if (error instanceof Stripe.errors.StripeError) return stripeMessageOf(error);
  return error instanceof Error ? error.message : String(error);
}
