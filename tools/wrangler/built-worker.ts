import { join } from "node:path";
import {
  type Unstable_MiniflareWorkerOptions,
  unstable_getMiniflareWorkerOptions,
  unstable_readConfig,
} from "wrangler";
import { root } from "./wrangler";

/** Variables that override wrangler.toml; `undefined` removes one. */
export type Vars = Record<string, string | undefined>;

/**
 * Miniflare's options for the Worker in `folder`, except its modules: the bindings of its wrangler.toml, without
 * `.dev.vars` and required secrets.
 */
export function bindingsOf(
  folder: string,
  vars: Vars = {},
  environment?: "production",
): Unstable_MiniflareWorkerOptions["workerOptions"] {
  const file = { config: join(root, folder, "wrangler.toml"), env: environment ?? "" };
  const config = unstable_readConfig(file, { hideWarnings: true });
  const { workerOptions } = unstable_getMiniflareWorkerOptions({ ...config, secrets: undefined }, environment);
  const bindings = Object.entries({ ...workerOptions.bindings, ...vars }).filter(([, value]) => value !== undefined);
  return {
    ...workerOptions,
    ...(config.name !== undefined && { name: config.name }),
    bindings: Object.fromEntries(bindings),
  };
}
