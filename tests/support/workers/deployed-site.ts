import { type RunningWorker, type SiteOptions, startSite } from "./workers";

/**
 * Where the site of these tests says that it is: a deployment, so https everywhere and no local defaults. Browsers know
 * domains under `.dev` for https only, as they know every domain on their preload list.
 */
export const ORIGIN = "https://www.citewell.dev";

/** The site with the settings of a deployment; the API behind it is whatever `upstream` answers. */
export function startDeployedSite(
  upstream: (request: Request) => Response | Promise<Response>,
  { vars, miniflare, ...rest }: SiteOptions = {},
): Promise<RunningWorker> {
  return startSite({
    vars: {
      SITE_URL: ORIGIN,
      CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/test_0123456789",
      SUBSCRIPTION_API_URL: "https://api.citewell.example",
      SUBSCRIPTION_API_TIMEOUT_MS: "5000",
      DEADLINE_FACTOR: undefined,
      SESSION_SECRET: "a-secret-of-the-tests-with-more-than-32-characters",
      STRIPE_JS_URL: undefined,
      STRIPE_API_URL: undefined,
      ...vars,
    },
    miniflare: { outboundService: upstream, ...miniflare },
    ...rest,
  });
}
