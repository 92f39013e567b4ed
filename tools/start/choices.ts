import type { WorkerName } from "../build";
import type { Vars } from "../wrangler/worker-settings";
import { root } from "../wrangler/wrangler";
import { portOf, servedHost } from "./addresses";
import { readLocalSettings } from "./local-settings";
import type { testModeOf } from "./test-mode";

type TestMode = ReturnType<typeof testModeOf>;

type Beside = {
  folder?: string;
  accept?: (environment: NodeJS.ProcessEnv) => Promise<TestMode>;
};

// Stripe's SDK is loaded for its test mode alone.
const askStripe = async (environment: NodeJS.ProcessEnv) => (await import("./test-mode")).acceptedTestMode(environment);

/** Prints where settings come from; `varsOf` reads them again at each call. Throws ToolError for a wrong choice. */
export async function choicesOf(environment: NodeJS.ProcessEnv, { folder = root, accept = askStripe }: Beside = {}) {
  const [port, host] = [portOf(environment), servedHost(environment)];
  const settings = () => readLocalSettings(environment, port, folder);
  const { lines, stripe } = settings();
  for (const line of lines) console.log(line);
  const testMode = stripe ? await accept(stripe) : undefined;
  const varsOf = (name: WorkerName): Vars => ({
    ...settings().vars[name],
    ...(host && { HOST: host.name }),
    ...(name !== "stripe-simulator" && testMode?.[name]),
  });
  return { port, host, testMode, varsOf };
}
