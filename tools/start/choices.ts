import type { WorkerName } from "../build";
import type { Vars } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { hostOf, portOf } from "./addresses";
import { readLocalSettings } from "./local-settings";
import type { testModeOf } from "./test-mode";

type TestMode = ReturnType<typeof testModeOf>;

type Beside = {
  /** The checkout. */
  folder?: string;
  /** Asks Stripe for a test mode with these settings. */
  accept?: (environment: NodeJS.ProcessEnv) => Promise<TestMode>;
};

// Stripe's SDK is loaded for its test mode alone.
const askStripe = async (environment: NodeJS.ProcessEnv) => (await import("./test-mode")).acceptedTestMode(environment);

/**
 * What the environment and the .dev.vars files choose for `npm start`: port, host, Stripe's test mode, and each Worker's settings,
 * which are read again at each call. Prints where settings come from. Throws ToolError for a wrong choice.
 */
export async function choicesOf(environment: NodeJS.ProcessEnv, { folder = root, accept = askStripe }: Beside = {}) {
  const [port, host] = [portOf(environment), hostOf(environment)];
  const settings = () => readLocalSettings(environment, port, folder);
  const { lines, stripe } = settings();
  for (const line of lines) console.log(line);
  const testMode = stripe ? await accept(stripe) : undefined;
  const varsOf = (name: WorkerName): Vars => ({
    ...settings().vars[name],
    ...(name !== "stripe-simulator" && { ...(host && { HOST: host.name }), ...testMode?.[name] }),
  });
  return { port, host, testMode, varsOf };
}
