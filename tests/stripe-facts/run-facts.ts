import Stripe from "stripe";
import { stripeMessageOf } from "../../tools/stripe-setup/stripe-setup";
import { atOnce } from "./creations";
import { differences, type Fact, type UnseenFact } from "./fact";
import { type Account, connect, type World } from "./world";

export type Run = {
  /** Without a publishable key, what needs one is not asked. */
  account: Account;
  facts: Fact[];
  publicFacts: Fact[];
  unseenFacts: UnseenFact[];
  /** Called with each line at once. */
  say(line: string): void;
  /** Ends the run early, but not its cleaning up. */
  stop?: AbortSignal;
};

const AT_ONCE = 16;
/** With the facts under way, and what has to be removed, a run takes less than five minutes. */
const STARTS_WITHIN_MS = 150_000;

const KEYS = "https://dashboard.stripe.com/test/apikeys";

/** Why a run with these keys cannot begin, if so. Live mode is never touched. */
function wrongKey({ secretKey, publishableKey }: Account): string | undefined {
  if (secretKey === "") return `Set STRIPE_SECRET_KEY to a test key (sk_test_…): ${KEYS}`;
  if (!/^[sr]k_test_\w+$/.test(secretKey)) return "STRIPE_SECRET_KEY is not a test key (sk_test_…). Nothing was asked.";
  if (!/^(pk_test_\w+)?$/.test(publishableKey))
    return "STRIPE_PUBLISHABLE_KEY is not a test key (pk_test_…). Nothing was asked.";
  return undefined;
}

/**
 * Asks Stripe's test mode about each fact, says for each whether it holds or what differs, and removes what was made.
 * @returns true if every fact that was to be asked holds and nothing is left
 */
export async function runFacts({ account, facts, publicFacts, unseenFacts, say, stop }: Run): Promise<boolean> {
  const refused = wrongKey(account);
  if (refused !== undefined) {
    say(refused);
    return false;
  }
  const { removeAll, ...world } = connect(account);
  const silence = await failureOf(world.stripe.events.list({ limit: 1 }));
  if (silence !== undefined) {
    say(silence);
    return false;
  }
  const counts = { held: 0, differ: 0, unasked: 0 };
  const end = performance.now() + STARTS_WITHIN_MS;
  let outage: string | undefined;
  await atOnce(AT_ONCE, account.publishableKey === "" ? facts : [...facts, ...publicFacts], async (fact) => {
    if (outage !== undefined || stop?.aborted || performance.now() > end) {
      counts.unasked += 1;
      return;
    }
    const [differ, failure] = await lookAt(fact, world);
    if (failure instanceof Stripe.errors.StripeConnectionError) outage = failureText(failure);
    if (differ.length === 0) counts.held += 1;
    else counts.differ += 1;
    say(differ.length === 0 ? `✓ ${fact.situation}` : [`✗ ${fact.situation}`, ...differ, fact.page].join("\n    "));
  });
  for (const { situation, notInTestMode } of unseenFacts)
    say(`– ${situation}: not in test mode, because ${notInTestMode}`);
  if (account.publishableKey === "") {
    for (const { situation } of publicFacts) say(`– ${situation}: set STRIPE_PUBLISHABLE_KEY (pk_test_…)`);
  }
  if (outage !== undefined) say(outage);
  const left = await removeAll();
  for (const line of left) say(line);
  const unasked = counts.unasked > 0 ? `, ${counts.unasked} not asked` : "";
  const removed = left.length === 0 ? "everything made was removed" : `left at Stripe: ${left.length}`;
  say(`${counts.held} true, ${counts.differ} different${unasked}; ${removed}`);
  return counts.differ === 0 && counts.unasked === 0 && left.length === 0;
}

async function lookAt({ calls, comes }: Fact, world: World): Promise<[differ: string[], failure?: unknown]> {
  try {
    return [differences(await calls(world), comes)];
  } catch (error) {
    return [[failureText(error)], error];
  }
}

async function failureOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return failureText(error);
  }
}

function failureText(error: unknown): string {
  if (error instanceof Stripe.errors.StripeError) return stripeMessageOf(error);
  return error instanceof Error ? error.message : String(error);
}
