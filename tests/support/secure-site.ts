import { type RunningWorker, startSite } from "./workers";

/**
 * Where the site of these tests says that it is: a deployment, so https everywhere and no local defaults. Browsers know
 * domains under `.dev` for https only, as they know every domain on their preload list.
 */
export const ORIGIN = "https://www.citewell.dev";

/** The settings of a deployment; the API behind it is whatever `upstream` answers. */
export function asDeployment(upstream: (request: Request) => Response | Promise<Response>) {
  return {
    vars: {
      SITE_URL: ORIGIN,
      SUBSCRIPTION_API_URL: "https://api.citewell.example",
      SUBSCRIPTION_API_TIMEOUT_MS: "500",
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
      STRIPE_JS_URL: undefined,
    },
    miniflare: { outboundService: upstream },
  };
}

/** The site as it is deployed, with https. */
export function startSecureSite(upstream: (request: Request) => Response | Promise<Response>): Promise<RunningWorker> {
  return startSite(asDeployment(upstream));
}

/** An answer, read to its end. */
export type SecureAnswer = { status: number; headers: Headers; body: string };

/** Asks the site under its https address (or another one), as Cloudflare's edge hands requests to the Worker. */
export async function ask(
  site: RunningWorker,
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<SecureAnswer> {
  const own = { "Content-Type": "application/x-www-form-urlencoded", Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
  const response = await site.mf.dispatchFetch(path.startsWith("/") ? ORIGIN + path : path, {
    method,
    redirect: "manual",
    headers: method === "POST" ? { ...own, ...headers } : headers,
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: new Headers([...response.headers]), body: await response.text() };
}
