import { API_PROMISES } from "../../contract/api-promises";
import type { Site } from "../../ui/use-site";
import type { SiteContext } from "../context.server";

/** Settings that pages may contain: URLs and ids, never a secret. */
export function publicSettings({ configuration, requestId }: SiteContext): Site {
  return {
    siteUrl: configuration.SITE_URL,
    consoleUrl: configuration.CONSOLE_URL,
    customerPortalUrl: configuration.CUSTOMER_PORTAL_URL,
    // The binding leads to the reference API.
    apiPromises: configuration.SUBSCRIPTION_API_PROMISES ?? (configuration.SUBSCRIPTION_API ? API_PROMISES : []),
    automaticTax: configuration.AUTOMATIC_TAX,
    year: new Date().getUTCFullYear(),
    requestId,
  };
}
