import { spawnSync } from "node:child_process";
import { readOptions } from "../../tools/command-line";
import { runTool } from "../../tools/failures";
import { root } from "../../tools/wrangler/wrangler";
import { FACTS, PUBLIC_FACTS } from "./facts/facts";
import { runFacts } from "./run-facts";

// npm run test:stripe, with STRIPE_SECRET_KEY and maybe STRIPE_PUBLISHABLE_KEY of Stripe's test mode. STRIPE_API_URL is another address.

const { STRIPE_SECRET_KEY = "", STRIPE_PUBLISHABLE_KEY = "", STRIPE_API_URL = "https://api.stripe.com" } = process.env;

/** Stripe's test mode takes 25 requests a second: https://docs.stripe.com/rate-limits */
const PER_SECOND = 20;

/** Builds the site, and walks its card step with the real Stripe.js. */
function walkCardStep(): boolean {
  const commands = ["npm run --silent build", "npm run --silent test:releases -- stripe-js"];
  return commands.every((command) => spawnSync(command, { cwd: root, shell: true, stdio: "inherit" }).status === 0);
}

await runTool(async () => {
  readOptions("test:stripe");
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const isPublic = STRIPE_PUBLISHABLE_KEY !== "";
  const hold = await runFacts({
    account: {
      ...{ url: STRIPE_API_URL, secretKey: STRIPE_SECRET_KEY, publishableKey: STRIPE_PUBLISHABLE_KEY },
      patienceMs: { events: 20_000, search: 90_000 },
      perSecond: PER_SECOND,
    },
    facts: isPublic ? [...FACTS, ...PUBLIC_FACTS] : FACTS,
    say: console.log,
    stop: interrupted.signal,
  });
  if (hold && !isPublic) console.log("Set STRIPE_PUBLISHABLE_KEY (pk_test_…) to ask what the site asks, too.");
  return hold && (!isPublic || walkCardStep());
});
