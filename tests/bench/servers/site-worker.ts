import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import * as z from "zod";
import { freePort } from "../../support/workers/workers";
import { root } from "../root";
import { type Binding, type RunningWorkerd, startWorkerd } from "./workerd";

const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));

/** The one of wrangler.toml, for every Worker of the benchmark. */
export const compatibilityDate = z.string().parse(workerOptions.compatibilityDate);

/** The built site's one script. */
export const siteScript = join(root, "build/site/site.js");

/** Stands in for Cloudflare's rate limiters, where Miniflare's do too: in the isolate. It lets everything pass. */
const GENEROUS_LIMITER = "export default () => ({ limit: async () => ({ success: true }) });";

/**
 * The built site in workerd, with what wrangler.toml binds.
 * @param options.limiter the source text of another rate limiter
 */
export async function startSiteWorkerd(
  options: { subscriptionApiUrl?: string; limiter?: string } = {},
): Promise<RunningWorkerd> {
  const port = await freePort();
  const vars = {
    ...z.record(z.string(), z.string()).parse(workerOptions.bindings),
    SITE_URL: `http://127.0.0.1:${port}`,
    ...(options.subscriptionApiUrl !== undefined && { SUBSCRIPTION_API_URL: options.subscriptionApiUrl }),
  };
  const texts = Object.entries(vars).map(([key, text]): [string, Binding] => [key, { text }]);
  const limiter: Binding = { module: "bench:limiter" };
  return startWorkerd(
    "site",
    {
      site: {
        script: await readFile(siteScript, "utf8"),
        compatibilityDate,
        bindings: {
          ...Object.fromEntries(texts),
          RELEASE: { json: JSON.stringify({ id: "bench" }) },
          ASSETS: { service: "assets" },
          SIGNUP_RATE_LIMIT: limiter,
          SIGNUP_NETWORK_RATE_LIMIT: limiter,
          SIGNUP_TOTAL_RATE_LIMIT: limiter,
          FORM_NONCE_RATE_LIMIT: limiter,
          CARD_CHECK_RATE_LIMIT: limiter,
          CSP_REPORT_RATE_LIMIT: limiter,
        },
      },
      assets: { folder: join(root, "public") },
    },
    { port, modules: { "bench:limiter": options.limiter ?? GENEROUS_LIMITER } },
  );
}
