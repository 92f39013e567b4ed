import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import * as z from "zod";
import { freePort } from "../release/commands/free-port";
import { type Binding, type RunningWorkerd, root, startWorkerd } from "./workerd";

const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
const compatibilityDate = z.string().parse(workerOptions.compatibilityDate);
/** Stands in for Cloudflare's rate limiters, in the isolate as Miniflare's do. It lets everything pass. */
const GENEROUS_LIMITER = "export default () => ({ limit: async () => ({ success: true }) });";
/** Headers that the runtime writes itself. */
const ITS_OWN = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

/**
 * The built site in workerd, with what wrangler.toml binds.
 * @param options.limiter the source text of another rate limiter
 */
export async function startSiteWorkerd(options: { subscriptionApiUrl?: string; limiter?: string } = {}) {
  const port = await freePort();
  const vars = {
    ...z.record(z.string(), z.string()).parse(workerOptions.bindings),
    SITE_URL: `http://127.0.0.1:${port}`,
    ...(options.subscriptionApiUrl !== undefined && { SUBSCRIPTION_API_URL: options.subscriptionApiUrl }),
  };
  const limiter: Binding = { module: "bench:limiter" };
  const bindings: Record<string, Binding> = {
    ...Object.fromEntries(Object.entries(vars).map(([name, text]) => [name, { text }])),
    ...Object.fromEntries(Object.keys(workerOptions.ratelimits ?? {}).map((name) => [name, limiter])),
    RELEASE: { json: JSON.stringify({ id: "bench" }) },
    ASSETS: { service: "assets" },
  };
  const script = await readFile(join(root, "build/site/site.js"), "utf8");
  return startWorkerd(
    "site",
    { site: { script, compatibilityDate, bindings }, assets: { folder: join(root, "public") } },
    { port, modules: { "bench:limiter": options.limiter ?? GENEROUS_LIMITER } },
  );
}

/** A Worker that answers as the site has answered once: the same status, headers and bytes, nothing else. */
export async function startConstant(response: Response): Promise<RunningWorkerd> {
  const headers = [...response.headers].filter(([name]) => !ITS_OWN.has(name));
  const script = `const body = new TextEncoder().encode(${JSON.stringify(await response.text())});
const headers = new Headers(${JSON.stringify(headers)});
export default { fetch: () => new Response(body, { status: ${response.status}, headers }) };`;
  return startWorkerd("constant", { constant: { script, compatibilityDate } });
}

/** A subscription API that takes everything at once. */
export function startUpstreamWorkerd(): Promise<RunningWorkerd> {
  const script = `export default {
  async fetch(request) {
    await request.arrayBuffer();
    return Response.json({ client_secret: "seti_1Bench_secret_Bench" });
  },
};`;
  return startWorkerd("upstream", { upstream: { script, compatibilityDate } });
}
